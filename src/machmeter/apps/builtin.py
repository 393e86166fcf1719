"""Applications that come with machmeter: descriptions in `catalogue`, a folder for those that share
input files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from machmeter.apps.read import read_description
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description
from machmeter.model.written.choices import choice_remedy

_CATALOGUE = Path(__file__).parent / "catalogue"


def app_names() -> tuple[str, ...]:
    """The names of all applications, sorted."""
    return tuple(sorted(_files()))


def app_file(name: str) -> Path:
    """The description of the application of that name. Raises UsageError where there is none."""
    files = _files()
    if name not in files:
        raise UsageError(
            f"there is no application {name!r}",
            f"{choice_remedy(name, tuple(files), '`machmeter list apps` shows all')}; a "
            "description of your own ends with .toml",
        )
    return files[name]


@cache
def _files() -> dict[str, Path]:
    return {path.stem: path for path in _CATALOGUE.glob("*/*.toml")}


def builtin_apps() -> tuple[Description, ...]:
    """Every application."""
    return tuple(read_description(app_file(name)) for name in app_names())
