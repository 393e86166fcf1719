"""Study `comet`: the applications of Tatineni et al. (MUG 2015), on this machine."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.benchmark import RankSweep, Value
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    Band,
    BestRule,
    EfficiencyRule,
    PublishedRatio,
    PublishedResults,
    PublishedSource,
    Question,
    Resource,
    Selector,
)
from machmeter.model.plan.study import Study, StudyApplication
from machmeter.studies.comet.network_questions import BY_LIBRARY

_PAPER = "Tatineni et al. 2015"
_TWO = {Resource.RANKS: 2}
_TWO_MPIS = {Resource.MPI_LIBRARIES: 2, Resource.RANKS: 2}
_BOUND: dict[str, Value] = {"binding": "close"}
_CORES = ("cores",)
_SCALING = (
    Band(0.0, "hardly", "use fewer ranks, and run several cases side by side"),
    Band(0.5, "partly", "more ranks shorten a run, and cost more core hours"),
    Band(0.8, "yes", "use all cores"),
)


def _questions(
    name: str, title: str, metric: str, source: str, published: tuple[PublishedSource, ...]
) -> tuple[Question, ...]:
    """Up to how many ranks it improves, how efficiently; published: answers to the second."""
    return (
        Question(
            text=f"With how many ranks is {title} fastest?",
            benchmark=f"app.{name}",
            metric=metric,
            rule=BestRule(
                Selector(layout=_BOUND),
                ("ranks_per_node",),
                otherwise="use that many ranks on each node",
                same="more ranks are not faster: run several cases side by side",
            ),
            each=("mpi",),
            requires=_TWO,
            source=source,
        ),
        Question(
            text=f"Does {title} scale over the cores of the node?",
            benchmark=f"app.{name}",
            metric=metric,
            rule=EfficiencyRule(
                Selector(layout={**_BOUND, "ranks_per_node": LARGEST}),
                Selector(layout={**_BOUND, "ranks_per_node": SMALLEST}),
                _SCALING,
            ),
            each=("mpi",),
            requires=_TWO,
            source=source,
            published=published,
        ),
    )


def _efficiency(machine: str, program: str, fewest: int, most: int) -> PublishedResults:
    """That of a published program between two numbers of cores."""
    return PublishedResults(
        machine,
        benchmark=f"workload.{program}",
        metric="wall_time",
        rule=EfficiencyRule(
            Selector({"cores": most}, {"nodes": LARGEST}),
            Selector({"cores": fewest}, {"nodes": SMALLEST}),
            _SCALING,
        ),
    )


def _speedup(machine: str, program: str, fewest: int, most: int) -> PublishedRatio:
    """That of a published program whose ranks and threads are not printed."""
    return PublishedRatio(
        machine,
        over={f"{machine}/{program}-mvapich2-{fewest}": 1},
        under={f"{machine}/{program}-mvapich2-{most}": 1},
        text=f"{{}} as fast on {most} cores as on {fewest}",
    )


_MACHINES = ("gordon", "comet")
_RING_QUESTIONS = _questions(
    "neuron-ring",
    "NEURON",
    "rate",
    f"{_PAPER}: NEURON from 48 to 768 cores of Gordon and Comet",
    tuple(_efficiency(machine, "neuron", 48, 768) for machine in _MACHINES),
)
_EXAML_QUESTIONS = _questions(
    "examl",
    "ExaML",
    "time",
    f"{_PAPER}: RAxML, ranks of threads, from 16 to 48 cores of Gordon and Comet",
    tuple(_speedup(machine, "raxml", 16, 48) for machine in _MACHINES),
)
_WHICH_LIBRARY = Question(
    text="Which MPI library is faster for NEURON, and from which rank count on?",
    benchmark="app.neuron-ring",
    metric="rate",
    rule=replace(BY_LIBRARY, candidate=Selector(layout=_BOUND)),
    each=("ranks_per_node",),
    requires=_TWO_MPIS,
    source=f"{_PAPER}: 1.36x at 48 cores of Gordon, 1.57x at 768, by the library alone",
    published=(
        PublishedResults(
            "gordon",
            benchmark="workload.neuron",
            metric="wall_time",
            each=_CORES,
            rule=replace(BY_LIBRARY, candidate=Selector()),
        ),
    ),
)

_LIQUID_QUESTIONS = _questions(
    "lammps-liquid",
    "the liquid of LAMMPS",
    "rate",
    f"{_PAPER}: the liquid of HOOMD on two and four GPUs of Comet, which is no such scaling",
    (),
)

COMET = Study(
    name="comet",
    title="How far do applications scale here, and under which MPI library?",
    summary="Applications of Tatineni et al. (MUG 2015), or what stands for them, over the ranks "
    "of this machine: RAxML by its successor ExaML, NEURON under each MPI library, the liquid of "
    "HOOMD by LAMMPS. `comet-network` has the network half.",
    experiments=(),
    budget_seconds=420.0,
    mpis=("mpich", "openmpi"),
    applications=(
        StudyApplication("neuron-ring", RankSweep.EVERY, (*_RING_QUESTIONS, _WHICH_LIBRARY)),
        StudyApplication("examl", RankSweep.EVERY, _EXAML_QUESTIONS),
        StudyApplication("lammps-liquid", RankSweep.EVERY, _LIQUID_QUESTIONS),
    ),
)
