"""machmeter: evaluate a computer for parallel work, with stated uncertainty."""

__version__ = "0.1.0"
