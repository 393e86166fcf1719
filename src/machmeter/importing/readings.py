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
    """Where a program ran, as far as it is known: 0 is not known.

    nodes, ranks: over all nodes; label: the words that say so, empty where a person said it;
    unknown: why the nodes are not known although those of the whole job are.
    """

    nodes: int = 0
    ranks: int = 0
    label: str = ""
    unknown: str = ""


class Described(Struct, frozen=True, kw_only=True):
    """What a number of another tool is of, in machmeter's words.

    unit: as `published.units` names it; benchmark, metric: machmeter's own that it is the same as;
    or else workload, quantity and better (`lower`, `higher`); parameters, layout: what is known of
    the point, in machmeter's names; text: what it is; note: in what it differs or what is not
    printed.
    """

    unit: str
    benchmark: str = ""
    metric: str = ""
    workload: str = ""
    quantity: str = ""
    better: str = ""
    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, Value] = field(default_factory=dict)
    text: str = ""
    note: str = ""


class ForeignResult(Described, frozen=True, kw_only=True):
    """One number of another tool.

    values: one a start of the program, in `unit`; decimals: after the point, as printed; group: the
    run of the tool that it is of; line: where it stands (0 where lines mean nothing); flag: what
    about it was proved false; program: what measured it, where the point does not state it: results
    of one point are launches only where it is the same.
    """

    values: tuple[float, ...]
    decimals: int
    group: str
    line: int = 0
    flag: str = ""
    program: str = ""


class Reading(Struct, frozen=True):
    """What one tool's reader found in a text.

    tools: names with versions; remarks: what a person should know, and what was left out and why;
    facts: of the machine, by name; kept: the tests that machmeter does not have.
    """

    tools: tuple[str, ...] = ()
    results: tuple[ForeignResult, ...] = ()
    remarks: tuple[str, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)
    kept: tuple[Kept, ...] = ()


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
