"""What is raised where a wish cannot be laid out."""

from __future__ import annotations


class LayoutError(ValueError):
    """A layout that this machine cannot hold; the message says what is lacking and what to do."""
