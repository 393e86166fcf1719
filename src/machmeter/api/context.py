"""Which folders a function works in, and who hears of its progress and its warnings."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from machmeter.build.progress import BuildListener, ignore_build
from machmeter.model.errors import MachmeterError
from machmeter.run.measuring.progress import ProgressListener, ignore_progress
from machmeter.store.paths import cache_home, data_home

if TYPE_CHECKING:
    from machmeter.run.programs.compiled import BuildContext


class MachmeterWarning(UserWarning):
    """Something failed that is not needed for the result."""


def _python_warning(error: MachmeterError) -> None:
    text = f"{error.message}; {error.remedy}" if error.remedy else error.message
    warnings.warn(text, MachmeterWarning, stacklevel=3)


def _ignore(_text: str) -> None:
    """Nobody listens."""


class Context(Struct, frozen=True):
    """Folders, environment and listeners; without arguments those of this user, without progress.

    `MACHMETER_DATA` and `MACHMETER_CACHE` name other folders.
    """

    data: Path = field(default_factory=lambda: data_home(os.environ))
    """Holds runs and the index over them."""
    cache: Path = field(default_factory=lambda: cache_home(os.environ))
    """Holds builds and fetched packages."""
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    """What compilers and launches inherit."""
    warn: Callable[[MachmeterError], None] = _python_warning
    """Takes what failed without changing the result; by default a `MachmeterWarning`."""
    notify: Callable[[str], None] = _ignore
    """Takes a line before something slow, such as a download."""
    on_build: BuildListener = ignore_build
    """Takes the progress of compiling."""
    on_progress: ProgressListener = ignore_progress
    """Takes the progress of measuring, after every launch."""

    @property
    def for_builds(self) -> BuildContext:
        """What the build takes of it."""
        from machmeter.run.programs.compiled import BuildContext

        return BuildContext(self.environment, self.cache, self.on_build)
