"""Study `edison`: launch modes of the codes of Austin et al. (CUG 2013), by proxies of them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.benchmarks.proxies.beampic import BEAMPIC
from machmeter.benchmarks.proxies.fvcore import FVCORE
from machmeter.benchmarks.proxies.gkpic import GKPIC
from machmeter.benchmarks.proxies.lowmach import LOWMACH
from machmeter.benchmarks.proxies.lqcd import LQCD
from machmeter.benchmarks.proxies.pwdft import PWDFT
from machmeter.benchmarks.proxies.scf import SCF
from machmeter.benchmarks.proxies.shared import COUNTED_PARTS
from machmeter.model.benchmark import Value
from machmeter.model.layout import LaunchMode
from machmeter.model.plan.question import (
    LARGEST,
    BestRule,
    BetterRule,
    PublishedRatio,
    PublishedStatement,
    Question,
    Resource,
    Selector,
)
from machmeter.model.plan.study import Experiment, Study, StudyApplication

MODES = (
    LaunchMode.MPI,
    LaunchMode.MPI_SMT,
    LaunchMode.MPI_SMT_RESERVED,
    LaunchMode.HYBRID_SMT,
    LaunchMode.HYBRID_SMT_RESERVED,
)
"""Those of the paper."""
MEASURED_MODES = (*MODES, LaunchMode.DEFAULT)
"""And what people have who set nothing."""
_PAPER = "Austin et al. 2013"
_AXES = ("ranks_per_node", "threads_per_rank", "smt", "reserved_cores", "is_placed")
# As many ranks as the node holds in a mode: last, or it would be those of the largest mode.
_MPI: dict[str, Value] = {
    "threads_per_rank": 1,
    "smt": 1,
    "reserved_cores": 0,
    "is_placed": 1,
    "ranks_per_node": LARGEST,
}
# Of all the hardware threads that the modes here use.
_ALL_MPI: dict[str, Value] = _MPI | {"smt": LARGEST}


class _Code(Struct, frozen=True):
    """A code, the benchmark that it is or that stands for it, and at which size."""

    name: str
    benchmark: str
    size: dict[str, Value]
    published: dict[str, str] = {}
    """What the paper says of it, by the name of a step."""


# Two codes of one kind of work differ in their size: PARATEC in the transforms of few bands,
# MiniDFT in the products of many.
CODES = (
    _Code("CAM", FVCORE.name, {}),
    _Code("GAMESS", SCF.name, {}),
    _Code(
        "GTC",
        GKPIC.name,
        {},
        {
            "smt": "yes: it hides latency, and all {edison/gtc-particle-domains} particle domains "
            "fit one node",
            "threads_per_rank": "no: hardware threads do not make up for synchronization of "
            "threads",
            "reserved_cores": "no: a shorter run, but less a node than ranks on both hardware "
            "threads",
        },
    ),
    _Code("IMPACT-T", BEAMPIC.name, {}),
    _Code("MAESTRO", LOWMACH.name, {}),
    _Code(
        "MILC",
        LQCD.name,
        {},
        {
            "smt": "no: ranks compete for caches and memory",
            "second threads": "as good as one rank a core: one stream fills a core",
            "reserved_cores": "no effect by its own slide; the slide on all codes has it gain",
        },
    ),
    _Code("PARATEC", PWDFT.name, {"grid": 48, "bands": 16}),
    _Code(
        "MiniDFT",
        PWDFT.name,
        {"grid": 36, "bands": 40},
        {
            "smt": "yes: half the ranks idle in ScaLAPACK and leave their cores to the others",
            "second threads": "no: ranks that idle and ranks that work are on different cores",
            "reserved_cores": "no: a little slower, as it has no non-blocking communication",
        },
    ),
)
# Codes of our time, where they are installed.
APPLICATIONS = (
    _Code("GROMACS", "app.gromacs-water", {}),
    _Code("LAMMPS", "app.lammps-liquid", {}),
)


class _Step(Struct, frozen=True):
    """One thing in which two modes differ."""

    name: str
    """What it is about, as `_Code.published` has it: mostly a field of the layout."""
    question: str
    """What a code is put to, behind its name."""
    candidate: dict[str, Value]
    """The mode with it."""
    baseline: dict[str, Value]
    """The mode without it."""
    yes: str
    """What to do where it pays."""
    no: str
    """What to do where it costs."""
    same: str
    """What to do where it changes nothing."""
    shared_fields: tuple[str, ...]
    """What both modes share: otherwise they differ in more."""
    requires: dict[Resource, int]
    """What it takes."""
    found: str
    """By the paper."""
    of_all: str = ""
    """What it says of this of all codes, where it has no slide on a code."""


_STEPS = (
    _Step(
        "smt",
        "do ranks on the second hardware threads do more?",
        _MPI | {"smt": 2},
        _MPI,
        "start two ranks on each core",
        "start one rank a core",
        "start one rank a core: fewer ranks need less memory",
        ("cores_per_node",),
        {Resource.CORES: 2, Resource.HARDWARE_THREADS: 2},
        "six of eight codes gain by a second hardware thread",
        "yes for {edison/codes-best-by-smt}, of {edison/codes} in all; not said of this one",
    ),
    _Step(
        "second threads",
        "at the same ranks, does a second thread of each, on its core's second hardware thread, do "
        "more?",
        _MPI | {"threads_per_rank": 2, "smt": 2},
        _MPI,
        "give each rank a second thread on its core",
        "leave each rank one thread",
        "leave each rank one thread: a second one changes nothing",
        ("cores_per_node", "ranks_per_node"),
        {Resource.CORES: 2, Resource.HARDWARE_THREADS: 2},
        "",
    ),
    _Step(
        "threads_per_rank",
        "do half as many ranks of two threads do more?",
        _ALL_MPI | {"threads_per_rank": 2},
        _ALL_MPI,
        "start half as many ranks, each of two threads",
        "start ranks of one thread",
        "choose by memory: half as many ranks need less",
        ("cores_per_node", "smt"),
        {Resource.CORES: 2},
        "",
    ),
    _Step(
        "reserved_cores",
        "does a node do more with a core left to the system?",
        _ALL_MPI | {"reserved_cores": 1},
        _ALL_MPI,
        "leave one core to the system",
        "use every core",
        "use every core, or all but one",
        ("cores_per_node", "smt"),
        {Resource.CORES: 2},
        "a reserved core costs all codes but MILC",
        "no: all codes but MILC do less",
    ),
    _Step(
        "is_placed",
        "does one rank bound to each core do more than what the launcher does by itself?",
        _MPI,
        _MPI | {"is_placed": 0},
        "bind one rank to each core",
        "leave the placement to the launcher",
        "bind ranks or not: the launcher's default does as much",
        ("cores_per_node", "ranks_per_node"),
        {Resource.CORES: 2},
        "",
    ),
)


def _best(code: _Code) -> Question:
    """Which mode gives most on a whole node."""
    return Question(
        text=f"{code.name} ({code.benchmark}): in which launch mode does a node do the most?",
        benchmark=code.benchmark,
        metric="rate",
        rule=BestRule(
            Selector(code.size),
            _AXES,
            baseline=Selector(code.size, _MPI),
            otherwise="start it in this mode",
            same="no mode does more than one rank on every core: start it so",
        ),
        requires={Resource.CORES: 2},
        source=f"{_PAPER}: the best of five modes for each code; with two hardware threads six of "
        "eight gain, and a reserved core costs all but MILC",
    )


def _page(code: _Code, step: _Step) -> str:
    """Where it is printed."""
    return f"slide {code.name if step.name in code.published else 'Application Benchmark Results'}"


def _step(code: _Code, step: _Step) -> Question:
    said = code.published.get(step.name) or (step.of_all if code in CODES else "")
    return Question(
        text=f"{code.name} ({code.benchmark}): {step.question}",
        benchmark=code.benchmark,
        metric="rate",
        rule=BetterRule(
            Selector(code.size, step.candidate),
            Selector(code.size, step.baseline),
            yes=step.yes,
            no=step.no,
            same=step.same,
            shared_fields=step.shared_fields,
        ),
        requires=step.requires,
        explained_by=COUNTED_PARTS if code in CODES else None,
        published=(PublishedStatement("edison", said, page=_page(code, step)),) if said else (),
        source=f"{_PAPER}: {step.found}" if step.found else _PAPER,
    )


def _questions(codes: Sequence[_Code]) -> tuple[Question, ...]:
    return (
        *(_best(code) for code in codes),
        *(_step(code, step) for step in _STEPS for code in codes),
    )


# What the paper prints of all codes, none of them by itself.
_TOTALS = (
    PublishedRatio(
        "edison",
        over={"edison/node-over-hopper-best": 1},
        under={"edison/node-over-hopper": 1},
        text="each code in its best mode does {} of one rank a core, by "
        "{edison/node-over-hopper-best} and {edison/node-over-hopper} of a node of Hopper; how "
        "codes are averaged is not printed",
    ),
    PublishedRatio(
        "edison",
        product=("edison/core-over-hopper", "edison/cores-per-node"),
        per=("hopper/cores-per-node",),
        text="a core does {edison/core-over-hopper} of a core of Hopper; with "
        "{edison/cores-per-node} cores a node against {hopper/cores-per-node} that is {} of its "
        "node, where {edison/node-over-hopper} is printed",
    ),
    PublishedStatement(
        "edison",
        "{edison/codes-best-by-smt} do most with ranks on both hardware threads, of {edison/codes} "
        "in all; a reserved core helps {edison/codes-helped-by-reserving}",
    ),
)

EDISON = Study(
    name="edison",
    title="In which launch mode does a node do the most science?",
    summary="The launch modes of Austin et al. (CUG 2013) on whole nodes: a rank on every core, on "
    "every hardware thread, with a core left to the system, and half as many ranks with two "
    "threads, beside the launcher's default; each for the proxies of the eight codes that they "
    "compare, and for GROMACS and LAMMPS where they are installed. Where cores have one hardware "
    "thread, the modes without a second one. `edison-network` has the network half.",
    experiments=tuple(
        Experiment(
            code.benchmark,
            {name: (value,) for name, value in code.size.items()},
            code=code.name,
            modes=MEASURED_MODES,
        )
        for code in CODES
    ),
    questions=_questions(CODES),
    published=_TOTALS,
    budget_seconds=900.0,
    applications=tuple(
        StudyApplication(
            code.benchmark.removeprefix("app."), modes=MEASURED_MODES, questions=_questions((code,))
        )
        for code in APPLICATIONS
    ),
)
