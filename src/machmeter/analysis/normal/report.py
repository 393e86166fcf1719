"""Whether the results of a machine are normal: its key results with their positions."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.normal.position import Position
from machmeter.model.results.machine import MachineResults

NORMAL = "normal"
"""Stands for the machines of today, where a machine is named."""


class Like(StrEnum):
    """Which machines are of one kind."""

    ALL = "all"
    CPU = "cpu"
    NETWORK = "network"


class KeyResult(Struct, frozen=True):
    """A key result and where it stands."""

    title: str
    """What it is."""
    label: str
    """Under which parameters and layout."""
    position: Position
    """Among the others."""


class NormalReport(Struct, frozen=True):
    """How a machine stands among those of its kind: what `compare NAME normal --json` prints."""

    machine: MachineResults
    """The machine, without its results."""
    like: Like
    """Of which kind the others are."""
    others: tuple[str, ...]
    """IDs of the machines that it was compared with."""
    results: tuple[KeyResult, ...]
    """Its key results, in their order."""
