"""Reading the files of published figures and claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.written.choices import choice_remedy
from machmeter.model.written.toml_text import toml_as
from machmeter.published.checks import check_machine
from machmeter.published.estimates import published_estimates
from machmeter.published.format import Claims, PrintedTable, PublishedMachine
from machmeter.published.packaged import packaged_machine, packaged_machines
from machmeter.store.files import read_regular

LARGEST_FILE = 2**20
_Form = TypeVar("_Form", PublishedMachine, Claims)
_Found = TypeVar("_Found")
_KEYS: dict[type, str] = {
    PublishedMachine: "docs/published.md describes all keys of a machine",
    Claims: "docs/published.md describes all keys of claims",
}


def published_machine(name: str) -> PublishedMachine:
    """The published machine with that id. Raises UsageError where there is none."""
    packaged = packaged_machines()
    _named(name, packaged.studies | packaged.today, "published machine")
    return packaged_machine(name)


def published_claims(name: str) -> Claims:
    """The claims of the study with that id. Raises UsageError where there is none."""
    return _named(name, _claims(), "study with published claims")


def machine_names() -> tuple[str, ...]:
    """The ids of all published machines, those that studies print first."""
    return names_of_studies() + names_of_today()


def names_of_studies() -> tuple[str, ...]:
    """The ids of the machines that studies print."""
    return tuple(packaged_machines().studies)


def names_of_today() -> tuple[str, ...]:
    """The ids of the machines of today, which stand for what is normal."""
    return tuple(packaged_machines().today)


def claim_names() -> tuple[str, ...]:
    """The ids of all studies with published claims."""
    return tuple(_claims())


def read_machine(path: Path) -> PublishedMachine:
    """The machine in a file of the user.

    Raises MachmeterError where it cannot be read, does not follow `docs/published.md`, or
    names a benchmark, parameter, unit or figure that is not there.
    """
    return machine_in(_content(path), str(path))


def machine_in(content: bytes, where: str) -> PublishedMachine:
    """The machine in the content of a file that messages name as `where`.

    Raises MachmeterError as `read_machine` does.
    """
    machine = _checked(_decoded(content, where, PublishedMachine), where)
    try:
        published_estimates(machine)
    except MachmeterError as error:
        raise MachmeterError(f"{where}: {error.message}", error.remedy) from error
    return machine


def read_claims(path: Path) -> Claims:
    """The claims in a file of the user. Raises MachmeterError as `read_machine` does."""
    return _once(_decoded(_content(path), str(path), Claims), str(path))


@cache
def _claims() -> dict[str, Claims]:
    folder = files("machmeter.published") / "claims"
    paths = [path for path in folder.iterdir() if path.name.endswith(".toml")]
    found = (
        _once(_decoded(_content(path), path.name, Claims), path.name)
        for path in sorted(paths, key=lambda path: path.name)
    )
    return {claims.id: claims for claims in found}


def _named(name: str, known: Mapping[str, _Found], what: str) -> _Found:
    if name not in known:
        listing = "`machmeter list machines` lists all"
        raise UsageError(f"there is no {what} {name!r}", choice_remedy(name, known, listing))
    return known[name]


def _content(path: Path | Traversable) -> bytes:
    try:
        if isinstance(path, Path):
            return read_regular(path, LARGEST_FILE + 1)
        with path.open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise MachmeterError(
            f"cannot read {path}: {error.strerror}", "check its name and rights"
        ) from error


def _decoded(content: bytes, where: str, form: type[_Form]) -> _Form:
    try:
        return toml_as(content, form, most_bytes=LARGEST_FILE, keys=_KEYS[form])
    except UsageError as error:
        raise MachmeterError(f"{where}: {error.message}", error.remedy) from error


def _checked(machine: PublishedMachine, where: str) -> PublishedMachine:
    figures = [figure for table in machine.tables for figure in table.figures]
    names = [figure.id for figure in figures] + [link.id for link in machine.links]
    _refuse_doubles(names, where)
    for table in machine.tables:
        _refuse_half_named(table, where)
    check_machine(machine, where)
    return machine


def _refuse_half_named(table: PrintedTable, where: str) -> None:
    own = (table.benchmark, table.metric)
    other = (table.workload, table.quantity, table.better)
    whole = all(bool(part) == bool(own[0]) for part in own) and all(
        bool(part) == bool(other[0]) for part in other
    )
    if not whole or (any(own) and any(other)):
        raise MachmeterError(
            f"{where}: the table of figure {table.figures[0].id} names only part of what it "
            "measures",
            "give it benchmark and metric, or workload, quantity and better, or none of them",
        )


def _once(claims: Claims, where: str) -> Claims:
    _refuse_doubles([claim.id for claim in claims.claims], where)
    return claims


def _refuse_doubles(names: list[str], where: str) -> None:
    doubles = sorted(name for name, count in Counter(names).items() if count > 1)
    if doubles:
        raise MachmeterError(
            f"{where}: {', '.join(doubles)} occurs more than once", "give each a unique id"
        )
