"""Applications that come with machmeter: a folder of `catalogue` with the description each."""

from __future__ import annotations

from pathlib import Path

from machmeter.apps.read import read_description
from machmeter.model.choices import choice_remedy
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description

_CATALOGUE = Path(__file__).parent / "catalogue"


def app_names() -> tuple[str, ...]:
    """The names of all applications, sorted."""
    return tuple(sorted(path.stem for path in _CATALOGUE.glob("*/*.toml")))


def app_file(name: str) -> Path:
    """The description of the application of that name. Raises UsageError where there is none."""
    names = app_names()
    if name not in names:
        raise UsageError(
            f"there is no application {name!r}",
            f"{choice_remedy(name, names, '`machmeter list apps` shows all')}; a description of "
            "your own ends with .toml",
        )
    return _CATALOGUE / name / f"{name}.toml"


def builtin_apps() -> tuple[Description, ...]:
    """Every application."""
    return tuple(read_description(app_file(name)) for name in app_names())
