"""A program of a user's, as launches start it."""

from __future__ import annotations

from msgspec import Struct


class Command(Struct, frozen=True):
    """What is started in the place of a program of ours."""

    words: tuple[str, ...]
    """The program, as an absolute path, and its arguments."""
    folder: str
    """Where it is started."""
    limit_seconds: float
    """A launch that takes longer is ended, seconds."""
