"""Tools from PyPI that run in environments of their own: Extra-P, Otava."""
