"""Quantities of the tables of OSU and IMB: ours by its parameters, the peer's by its column.

Each quantity is one launch of ours over a few sizes, and the peer programs that print the same.
Where a peer's definition differs, `differs` says how.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Benchmark, Value
from machmeter.model.units import Unit

SIZES = (8, 64, 1024, 8192, 65536, 1048576)
RANKS = 2
# The size of a quantity without sizes.
NO_SIZE = 0


class Family(StrEnum):
    """Groups of tables; the values of `--tables`."""

    POINT_TO_POINT = "point-to-point"
    BLOCKING = "blocking"
    NONBLOCKING = "nonblocking"
    PERSISTENT = "persistent"
    ONE_SIDED = "one-sided"


class Reduction(StrEnum):
    """How the samples of a launch become one value, as in the peers."""

    MEAN = "the mean"
    MEAN_OF_PAIRS = "the mean over pairs and samples"
    RATE = "an amount over the mean"
    HALF = "half of the mean"
    SLOWEST_RANK = "the largest of the ranks' means"
    HIDDEN = "the share of communication hidden, of means"


class PeerColumn(Struct, frozen=True):
    """One column of a peer's table: program, its arguments, the column and its section.

    scale: the peer's size over ours; differs: how its definition differs (empty: the same).
    """

    program: str
    arguments: tuple[str, ...]
    column: str
    section: str = ""
    scale: int = 1
    differs: str = ""

    @property
    def tool(self) -> str:
        """OSU or IMB."""
        return "IMB" if self.program.startswith("IMB") else "OSU"

    @property
    def command_name(self) -> str:
        """The program with its arguments; one launch prints all of its columns."""
        return " ".join((self.program, *self.arguments))


class Quantity(Struct, frozen=True):
    """A compared quantity. parameters: all but the size; sizes: empty where it has none."""

    name: str
    family: Family
    benchmark: Benchmark
    parameters: tuple[tuple[str, Value], ...]
    unit: Unit
    reduction: Reduction
    theirs: tuple[PeerColumn, ...]
    amount: str = ""
    sizes: tuple[int, ...] = SIZES


def osu(
    program: str, column: str, *arguments: str, scale: int = 1, differs: str = ""
) -> PeerColumn:
    """A column of an OSU program's table."""
    return PeerColumn(f"osu_{program}", arguments, column, scale=scale, differs=differs)


def imb(suite: str, benchmark: str, column: str, *arguments: str, differs: str = "") -> PeerColumn:
    """A column of the table of one benchmark of an IMB suite."""
    return PeerColumn(f"IMB-{suite}", (benchmark, *arguments), column, differs=differs)
