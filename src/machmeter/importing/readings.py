"""What is found in the output of another tool, before it becomes a machine's results."""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from machmeter.importing.unmatched import Kept
from machmeter.model.benchmark import Value

LEAST, MOST = 1e-30, 1e30


def is_plausible(value: float) -> bool:
    """Whether a number may be printed by a tool: 0, or from 1e-30 to 1e30 without its sign.

    Beyond stands no time, rate or size of any machine, and sums and ratios would leave the range
    of floating-point numbers.
    """
    return value == 0 or LEAST <= abs(value) <= MOST


class Place(Struct, frozen=True):
    """Where a program ran, as far as it is known: 0 is not known."""

    nodes: int = 0
    """Number of nodes."""
    ranks: int = 0
    """Over all nodes; 0 where not known."""
    label: str = ""
    """The text that states it, empty where the user did."""
    unknown: str = ""
    """Why the nodes are not known although those of the whole job are."""
    each: int = 0
    """Ranks on each node; 0 where not known."""
    between: bool = False
    """Whether nodes are two only because it ran between nodes: of more ranks they may be any."""


class Described(Struct, frozen=True, kw_only=True):
    """What a number of another tool is of, in machmeter's terms."""

    unit: str
    """As `published.units` names it."""
    benchmark: str = ""
    """Machmeter's own that it is the same as; empty for a workload."""
    metric: str = ""
    """Of that benchmark."""
    workload: str = ""
    """Its name, where it is no benchmark of machmeter."""
    quantity: str = ""
    """Of a workload."""
    better: str = ""
    """Of a workload: `lower` or `higher`."""
    parameters: dict[str, Value] = field(default_factory=dict)
    """What is known of the point, in machmeter's names."""
    layout: dict[str, Value] = field(default_factory=dict)
    """What is known of the point, in machmeter's names."""
    text: str = ""
    """What it is."""
    note: str = ""
    """In what it differs or what is not printed."""


class ForeignResult(Described, frozen=True, kw_only=True):
    """One number of another tool."""

    values: tuple[float, ...]
    """One a start of the program, in `unit`."""
    decimals: int
    """After the point, as printed."""
    group: str
    """The run of the tool that it is of."""
    line: int = 0
    """Its line in the file (0 where lines mean nothing)."""
    flag: str = ""
    """What contradicts it; empty where nothing does."""
    started_with: dict[str, str] = field(default_factory=dict)
    """What it was started with, by kind, where the point does not state it: results of one point
    are launches only where none of these is another; what is not stated may be any.
    """
    program: str = ""
    """What measured it, where the point does not state it: results of one point are launches only
    where it is the same.
    """


class Reading(Struct, frozen=True):
    """What one tool's reader found in a text."""

    tools: tuple[str, ...] = ()
    """Names with versions."""
    results: tuple[ForeignResult, ...] = ()
    """In the order of the text."""
    remarks: tuple[str, ...] = ()
    """What a person should know, and what was left out and why."""
    facts: dict[str, str] = field(default_factory=dict)
    """Of the machine, by name."""
    kept: tuple[Kept, ...] = ()
    """The tests that machmeter does not have."""


def joined(readings: list[Reading]) -> Reading:
    """Several readings as one, in their order."""
    facts: dict[str, str] = {}
    for reading in readings:
        facts.update(reading.facts)
    return Reading(
        tuple(dict.fromkeys(tool for reading in readings for tool in reading.tools)),
        tuple(result for reading in readings for result in reading.results),
        tuple(dict.fromkeys(remark for reading in readings for remark in reading.remarks)),
        facts,
        tuple(dict.fromkeys(one for reading in readings for one in reading.kept)),
    )


def in_decimal_megabytes(result: ForeignResult) -> ForeignResult:
    """The result with MB/s (10^6 B) in place of MiB/s (2^20 B); others as they are."""
    if result.unit != "MiB/s":
        return result
    return msgspec.structs.replace(
        result,
        unit="MB/s",
        values=tuple(value * 2**20 / 1e6 for value in result.values),
        note="; ".join(part for part in (result.note, "printed in MiB/s") if part),
    )
