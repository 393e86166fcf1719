"""What is compared with a table of OSU or IMB: ours by its parameters, theirs by its column.

Each quantity is one launch of ours over a few sizes, and the programs that print the same. Where
a program measures by a definition of its own, `differs` says in which way.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Benchmark, Value
from machmeter.model.units import Unit

SIZES = (8, 64, 1024, 8192, 65536, 1048576)
RANKS = 2
# What a quantity without sizes has in the place of one.
NO_SIZE = 0


class Family(StrEnum):
    """Which tables belong together; `--tables` asks for them by these words."""

    POINT_TO_POINT = "point-to-point"
    BLOCKING = "blocking"
    NONBLOCKING = "nonblocking"
    PERSISTENT = "persistent"
    ONE_SIDED = "one-sided"


class Reduction(StrEnum):
    """How the samples of one launch become what the programs print."""

    MEAN = "the mean"
    MEAN_OF_PAIRS = "the mean over pairs and samples"
    RATE = "an amount over the mean"
    HALF = "half of the mean"
    SLOWEST_RANK = "the largest of the ranks' means"
    HIDDEN = "the share of communication hidden, of means"


class Theirs(Struct, frozen=True):
    """One column of one table: program, its options, the column and its section.

    scale: their size over ours; differs: how its definition is another (empty: the same).
    """

    program: str
    words: tuple[str, ...]
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
        """The program with its options, one launch of which gives all of its columns."""
        return " ".join((self.program, *self.words))


class Quantity(Struct, frozen=True):
    """What is compared. parameters: all but the size; sizes: empty where it has none."""

    name: str
    family: Family
    benchmark: Benchmark
    parameters: tuple[tuple[str, Value], ...]
    unit: Unit
    reduction: Reduction
    theirs: tuple[Theirs, ...]
    amount: str = ""
    sizes: tuple[int, ...] = SIZES


def osu(program: str, column: str, *words: str, scale: int = 1, differs: str = "") -> Theirs:
    """A column of an OSU program's table."""
    return Theirs(f"osu_{program}", words, column, scale=scale, differs=differs)


def imb(suite: str, benchmark: str, column: str, *words: str, differs: str = "") -> Theirs:
    """A column of the table of one benchmark of an IMB suite."""
    return Theirs(f"IMB-{suite}", (benchmark, *words), column, differs=differs)
