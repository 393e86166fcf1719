"""The description of an application: how it is started, what its output holds, what must be so."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from machmeter.model.benchmark import Direction

DESCRIPTION_FORMAT = 1
SCRIPT_ENDING = ".py"
"""A preparation whose first word ends so is a script of the description."""
# `$` also matches before a line break at the end, which no name has.
_Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]*$(?!\n)", max_length=60)]
_Text = Annotated[str, Meta(min_length=1, max_length=200)]
_Pattern = Annotated[str, Meta(min_length=1, max_length=500)]
_Path = Annotated[str, Meta(max_length=1000)]
_Word = Annotated[str, Meta(max_length=10_000)]
_Variable = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$(?!\n)", max_length=200)]
_Checksum = Annotated[str, Meta(pattern=r"^([0-9a-fA-F]{64})?$(?!\n)")]
_ExitCode = Annotated[int, Meta(ge=0, le=255)]
_Tolerance = Annotated[float, Meta(ge=0)]
# It is a word of a command that people copy: no option, nothing that a shell reads.
_Package = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$(?!\n)", max_length=100)]
_Packages = Annotated[tuple[_Package, ...], Meta(max_length=20)]
_Placeholder = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$(?!\n)", max_length=60)]


class Take(StrEnum):
    """Which of several matches counts."""

    FIRST = "first"
    LAST = "last"
    LEAST = "least"
    LARGEST = "largest"
    SUM = "sum"
    """All of them, added up."""


class EchoOf(StrEnum):
    """What a program reports of its own launch."""

    RANKS = "ranks"
    THREADS = "threads"


class Extraction(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where one number, or a version, is in what a program wrote."""

    pattern: _Pattern
    """A regular expression of RE2 with one group, what is read (or of several the one that is named
    `value`). It is matched with every line, and with as many lines after it as it has `\\n`; the
    first match in a line counts."""
    file: _Path = ""
    """The file that is read, relative to the folder of the launch (empty: what the program
    prints)."""
    take: Take = Take.LAST
    """Which of several matches counts."""


class Figure(Extraction, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A figure of merit: what the program reports of its own speed, a number above 0."""

    name: _Name
    """Unique in the description."""
    unit: _Text
    """Of the number times `factor`, as it is printed: `ns/day`."""
    better: Literal["higher", "lower"]
    """Which way is better."""
    factor: float = 1.0
    """What the number is multiplied by."""
    of_problem: bool = False
    """Whether it is of the whole problem (a time, steps per second) and not of its parts: at a size
    that grows it is multiplied, or as a time divided, by how many times the problem is there."""
    optional: bool = False
    """Whether a launch in which nothing matches has no such figure, and is right: what only some
    layouts report."""

    @property
    def direction(self) -> Direction:
        """Which way is better, as metrics have it."""
        return Direction.HIGHER if self.better == "higher" else Direction.LOWER


class Echo(Extraction, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the program reports of its own launch; a launch in which it differs is wrong."""

    what: EchoOf
    """The ranks of the launch, or the threads of each rank."""
    offset: Annotated[int, Meta(ge=-1, le=1)] = 0
    """What is added to the number: 1 where the program names each rank, the first one 0, and the
    largest number is taken."""


class Validity(Extraction, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number outside of whose bounds a launch was disturbed, such as the CPU use."""

    name: _Name
    """Unique in the description."""
    least: float | None = None
    """The number must be at least this (left out: no bound)."""
    most: float | None = None
    """The number must be at most this (left out: no bound)."""


class OutputCheck(Extraction, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A result of the program that shows whether it computed correctly.

    It may differ from the expected value by the larger one of the two tolerances.
    """

    name: _Name
    """Unique in the description."""
    reference: float | None = None
    """The expected value at every size; left out where `across` is set, and where sizes have it."""
    across: bool = False
    """Whether the value must be equal in all launches of a run, whatever their layout."""
    absolute: _Tolerance = 0.0
    """Absolute tolerance, in the unit of the value."""
    relative: _Tolerance = 0.0
    """Relative tolerance, a share of the expected value."""


class InputFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file that the program reads."""

    path: Annotated[str, Meta(min_length=1, max_length=1000)]
    """Relative to the folder of the description, and within it."""
    sha256: _Checksum = ""
    """Checksum of its content, 64 hexadecimal digits (empty: any content)."""
    fill: bool = False
    """Whether it has placeholders as arguments have, so that each launch gets its own."""
    made: bool = False
    """Whether a preparation makes it: it is not in the folder of the description."""


class Preparation(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A command that makes input files before anything is launched, once."""

    command: Annotated[tuple[_Word, ...], Meta(min_length=1, max_length=1000)]
    """The program and its arguments, started in a folder that has the input files which are not
    made, and what the preparations before it made. A first word that ends with `.py` is a script in
    the folder of the description, for the Python that runs machmeter."""
    sha256: _Checksum = ""
    """Checksum of the script, 64 hexadecimal digits (empty: any content, or no script)."""
    each_launch: bool = False
    """Whether it runs before every launch instead, in the folder of the launch, whose numbers stand
    for placeholders; its time is no part of the result."""


class ProgramVariant(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A program that stands for the first word of the command where the CPU has a feature."""

    program: _Word
    """Its name or path."""
    feature: Annotated[str, Meta(max_length=100)] = ""
    """What the CPU must have, as the kernel names it: `avx2` (empty: nothing)."""


class AppSize(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much an application computes."""

    name: _Name
    """Unique in the description: `small` takes 2 to 5 s on a core (in a virtual machine of Java,
    which takes long to start, about 20 s), `minute` about a minute."""
    values: Annotated[dict[_Placeholder, _Word], Meta(min_length=1, max_length=20)]
    """What placeholders of these names stand for: `{ cells = "20" }` for `{cells}`."""
    seconds: Annotated[float, Meta(gt=0, le=1e6)]
    """About how long one launch takes on one core, seconds."""
    memory: Annotated[int, Meta(ge=1, le=2**60)]
    """About how much memory all ranks take together, bytes."""
    references: Annotated[dict[_Name, float], Meta(max_length=20)] = field(default_factory=dict)
    """The expected values of checks at this size, by their names; a check that has none here, and
    no reference of its own, is not judged at this size."""
    sha256: Annotated[dict[_Path, _Checksum], Meta(max_length=100)] = field(default_factory=dict)
    """Checksums of input files that are made for this size, by their paths."""
    grows: Annotated[str, Meta(pattern=r"^([a-z][a-z0-9_]*)?$(?!\n)", max_length=60)] = ""
    """The placeholder whose value, a whole number, is times the threads of all ranks of a launch,
    so that each has the same work (weak scaling). Seconds, memory and references are of one
    thread."""


class Provided(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What installs the program; machmeter never does it."""

    debian: _Packages = ()
    """Packages of Debian and its derivatives."""
    pypi: _Packages = ()
    """Packages of PyPI."""
    by_hand: Annotated[str, Meta(max_length=200)] = ""
    """What to do where it is in neither: `unpack a release of https://example.org`."""

    @property
    def commands(self) -> tuple[str, ...]:
        """Each of them installs the program, the one by hand last."""
        ways = (("apt install", self.debian), ("pip install", self.pypi))
        found = (" ".join((way, *packages)) for way, packages in ways if packages)
        return (*found, self.by_hand) if self.by_hand else tuple(found)


class License(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Under which licenses it may be used, as SPDX writes them."""

    program: _Text
    """Of the program."""
    input: _Text = ""
    """Of its input files (empty: there are none, or it is not known)."""


class Description(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An application as `docs/apps.md` describes it.

    In the arguments and in the values of the environment `{ranks}`, `{threads}` (of each rank) and
    `{run}` stand for those of the launch, `{rows}` and `{columns}` for the grid of all its ranks
    that is nearest to a square, with no more rows than columns, and the names of a size for its
    values; `{{` and `}}` are braces.
    """

    format: Annotated[int, Meta(ge=DESCRIPTION_FORMAT, le=DESCRIPTION_FORMAT)] = DESCRIPTION_FORMAT
    """Version of this format."""
    name: _Name
    """Its results are of the benchmark `app.NAME`."""
    title: _Text
    """As a heading."""
    purpose: Annotated[str, Meta(max_length=1000)] = ""
    """What it computes, and which programs it stands for."""
    license: License | None = None
    """Under which licenses it may be used (left out: not stated)."""
    provided: Provided = field(default_factory=Provided)
    """What installs its program."""
    version: Extraction | None = None
    """Where it writes its own version, which is recorded and never judged (left out: nowhere)."""
    reference_version: Annotated[str, Meta(max_length=100)] = ""
    """The version that gave the reference values, as `version` reads it: results of another one may
    differ, which the run says (empty: not stated)."""
    simd: Extraction | None = None
    """Where it writes the vector instructions that it was compiled for, which are recorded and
    never judged (left out: nowhere)."""
    command: Annotated[tuple[_Word, ...], Meta(min_length=1, max_length=1000)]
    """The program and its arguments, without the launcher."""
    needs: Annotated[tuple[_Text, ...], Meta(max_length=20)] = ()
    """Programs that a script starts: where one is not on the PATH, it is not installed."""
    environment: Annotated[dict[_Variable, _Word], Meta(max_length=200)] = field(
        default_factory=dict
    )
    """Variables of the environment that it needs."""
    thread_arguments: Annotated[tuple[_Word, ...], Meta(max_length=100)] = ()
    """Arguments that set its threads, after those of the command: `["-nt", "{threads}"]`."""
    rank_arguments: Annotated[tuple[_Word, ...], Meta(max_length=100)] = ()
    """Arguments where it has several ranks, after those of the command: `["-parallel"]`."""
    variants: Annotated[tuple[ProgramVariant, ...], Meta(max_length=20)] = ()
    """Programs in place of the first word of the command: the first that is installed, and whose
    feature the CPU has (none: the first word itself)."""
    ranks: bool | None = None
    """Whether an MPI starts it (left out: as the libraries that it is linked with show)."""
    mpi: Literal["", "mpich", "openmpi"] = ""
    """The MPI that starts a script, whose libraries do not show it (left out: any)."""
    threads: bool | None = None
    """Whether it can run several threads in a rank (left out: as its libraries show)."""
    helper_threads: bool = False
    """Whether other threads work too, such as those of a virtual machine that compile and collect
    garbage: its own threads are then those that it echoes, and others are not counted."""
    least_threads: Annotated[int, Meta(ge=1, le=1000)] = 1
    """It cannot run fewer in a rank."""
    figures: Annotated[tuple[Figure, ...], Meta(max_length=20)] = ()
    """Figures of merit, the most important one first (none: wall time only)."""
    echoes: Annotated[tuple[Echo, ...], Meta(max_length=2)] = ()
    """What it reports of its own launch."""
    validities: Annotated[tuple[Validity, ...], Meta(max_length=20)] = ()
    """Numbers that show whether a launch was disturbed."""
    checks: Annotated[tuple[OutputCheck, ...], Meta(max_length=20)] = ()
    """Results that show whether it computed correctly."""
    seconds: Annotated[float, Meta(gt=0, le=1e6)] = 1.0
    """About how long one launch takes on one core, seconds: for the time that a plan names. Those
    of a size count before it."""
    sizes: Annotated[tuple[AppSize, ...], Meta(max_length=20)] = ()
    """How much it may compute, the usual size first (none: one size, which has no name)."""
    exit_codes: Annotated[tuple[_ExitCode, ...], Meta(min_length=1, max_length=256)] = (0,)
    """Exit codes of a successful launch."""
    inputs: Annotated[tuple[InputFile, ...], Meta(max_length=1000)] = ()
    """Files that it reads."""
    preparations: Annotated[tuple[Preparation, ...], Meta(max_length=20)] = ()
    """What makes those of them that are made, in order."""

    @property
    def values(self) -> dict[str, str]:
        """What placeholders of its own stand for, at its first size."""
        return self.sizes[0].values if self.sizes else {}

    @property
    def grows(self) -> str:
        """The placeholder whose value is times the threads of a launch, at its first size; empty
        where none is."""
        return self.sizes[0].grows if self.sizes else ""

    @property
    def known_of_one_thread(self) -> tuple[str, ...]:
        """Checks of a size that grows whose expected values are those of one thread."""
        return tuple(self.sizes[0].references) if self.grows else ()

    @property
    def not_judged(self) -> tuple[str, ...]:
        """Checks whose expected value nobody knows, at its first size."""
        known = self.sizes[0].references if self.sizes else {}
        return tuple(
            one.name
            for one in self.checks
            if one.reference is None and not one.across and one.name not in known
        )

    @property
    def scripts(self) -> dict[str, str]:
        """The checksum of each script that prepares input, empty where it is not named."""
        found: dict[str, str] = {}
        for one in self.made_once:
            if one.command[0].endswith(SCRIPT_ENDING):
                found[one.command[0]] = one.sha256 or found.get(one.command[0], "")
        return found

    @property
    def made_once(self) -> tuple[Preparation, ...]:
        """Preparations that run once."""
        return tuple(one for one in self.preparations if not one.each_launch)

    @property
    def made_each_launch(self) -> tuple[Preparation, ...]:
        """Preparations that run before every launch."""
        return tuple(one for one in self.preparations if one.each_launch)

    @property
    def named(self) -> tuple[Figure | Validity | OutputCheck, ...]:
        """Everything that is read from its output and has a name."""
        return *self.figures, *self.validities, *self.checks

    @property
    def extractions(self) -> dict[str, Extraction]:
        """Everything that is read from its output, by name: an echo's is what it reports."""
        found: dict[str, Extraction] = {one.what.value: one for one in self.echoes}
        return found | {one.name: one for one in self.named}

    @property
    def files_read(self) -> frozenset[str]:
        """The files that are read after a launch; the empty name is what it printed."""
        words = filter(None, (self.version, self.simd))
        return frozenset(one.file for one in (*self.extractions.values(), *words))


class OutputReadings(Struct, frozen=True, tag="output", tag_field="kind"):
    """The numbers that one launch wrote, by the names in its description."""

    values: dict[str, float] = field(default_factory=dict)
    """Finite numbers; figures are in their unit; `ranks` and `threads` are echoes."""
    problems: dict[str, str] = field(default_factory=dict)
    """Why a number is missing, for people."""
    version: str = ""
    """Of the program, as it writes it; empty where it does not."""
    simd: str = ""
    """The vector instructions that it was compiled for, as it writes them; empty where it does
    not."""
