"""What is raised where a layout does not fit a machine."""

from __future__ import annotations


class LayoutError(ValueError):
    """A layout that this machine cannot hold; the message says what is lacking and what to do."""
