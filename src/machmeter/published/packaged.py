"""The machines that come with machmeter, as `make docs` writes them from their TOML files.

JSON is read five times as fast. A test checks that each agrees with its file, which it reads as
strictly as a user's own: nothing is checked here.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from machmeter.model.errors import MachmeterError
from machmeter.published.format import PublishedMachine

FILE = "machines.json"


class PackagedMachine(Struct, frozen=True):
    """One machine, which is decoded when it is named."""

    sha256: str
    """Of its TOML file."""
    content: msgspec.Raw
    """What that holds."""


class PackagedMachines(Struct, frozen=True):
    """All machines by their ids, each in a group in the order of names."""

    studies: dict[str, PackagedMachine]
    """Printed by studies."""
    today: dict[str, PackagedMachine]
    """Which stand for what is normal."""


@cache
def packaged_machines() -> PackagedMachines:
    """All machines in the package. Raises MachmeterError where its file is missing or damaged."""
    path = files("machmeter.published") / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=PackagedMachines)
    except (OSError, msgspec.DecodeError) as error:
        raise MachmeterError(
            f"the published machines of this installation cannot be read: {path}: {error}",
            "install machmeter again",
        ) from error


@cache
def packaged_machine(name: str) -> PublishedMachine:
    """The machine with that id, which must be there."""
    packed = packaged_machines()
    found = packed.studies.get(name) or packed.today[name]
    return msgspec.json.decode(found.content, type=PublishedMachine)
