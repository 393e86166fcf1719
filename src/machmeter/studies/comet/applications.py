"""Study `comet`: the applications of Tatineni et al. (MUG 2015), on this machine."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.device.liquid import DEVICE_LIQUID
from machmeter.benchmarks.proxies.ljmd import LJMD
from machmeter.benchmarks.proxies.ofp import OFP
from machmeter.benchmarks.proxies.plf import PLF
from machmeter.benchmarks.proxies.pwdft import PWDFT
from machmeter.benchmarks.proxies.ring import RING
from machmeter.model.benchmark import RankSweep, ThreadSweep
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    Band,
    EfficiencyRule,
    PublishedRatio,
    PublishedResults,
    PublishedStatement,
    Question,
    Resource,
    Selector,
    ShareRule,
)
from machmeter.model.plan.study import Experiment, Study, StudyApplication
from machmeter.studies.applications import BOUND, SCALING, scaling_questions
from machmeter.studies.comet.network_questions import BY_LIBRARY

_PAPER = "Tatineni et al. 2015"
_BY_LIBRARY = replace(BY_LIBRARY, otherwise="use it for this program")


def _efficiency(machine: str, program: str, fewest: int, most: int) -> PublishedResults:
    """That of a published program between two numbers of cores."""
    return PublishedResults(
        machine,
        benchmark=f"workload.{program}",
        metric="wall_time",
        rule=EfficiencyRule(
            Selector({"cores": most}, {"nodes": LARGEST}),
            Selector({"cores": fewest}, {"nodes": SMALLEST}),
            SCALING,
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
_RING_QUESTIONS = scaling_questions(
    "neuron-ring",
    "NEURON",
    "rate",
    f"{_PAPER}: NEURON from 48 to 768 cores of Gordon and Comet",
    efficiency=tuple(_efficiency(machine, "neuron", 48, 768) for machine in _MACHINES),
)
_EXAML_QUESTIONS = scaling_questions(
    "examl",
    "ExaML",
    "time",
    f"{_PAPER}: RAxML, ranks of threads, from 16 to 48 cores of Gordon and Comet",
    efficiency=tuple(_speedup(machine, "raxml", 16, 48) for machine in _MACHINES),
)
_WHICH_LIBRARY = Question(
    text="Which MPI library is faster for NEURON, and from which rank count on?",
    benchmark="app.neuron-ring",
    metric="rate",
    rule=replace(_BY_LIBRARY, candidate=Selector(layout=BOUND)),
    each=("ranks_per_node",),
    requires={Resource.MPI_LIBRARIES: 2, Resource.RANKS: 2},
    source=f"{_PAPER}: 1.36x at 48 cores of Gordon, 1.57x at 768, by the library alone",
    published=(
        PublishedResults(
            "gordon",
            benchmark="workload.neuron",
            metric="wall_time",
            each=("cores",),
            rule=replace(_BY_LIBRARY, candidate=Selector()),
        ),
    ),
)

_CAVITY_QUESTIONS = scaling_questions(
    "openfoam-cavity",
    "OpenFOAM",
    "time",
    f"{_PAPER}: OpenFOAM from 96 to 384 cores of Gordon and Comet",
    efficiency=tuple(_efficiency(machine, "openfoam", 96, 384) for machine in _MACHINES),
)
_SILICON_QUESTIONS = scaling_questions(
    "espresso-si",
    "Quantum ESPRESSO",
    "time",
    f"{_PAPER}: Quantum ESPRESSO from 96 to 768 cores of Gordon and Comet",
    efficiency=tuple(_efficiency(machine, "quantum-espresso", 96, 768) for machine in _MACHINES),
)
_LIQUID_QUESTIONS = scaling_questions(
    "lammps-liquid",
    "the liquid of LAMMPS",
    "rate",
    f"{_PAPER}: the liquid of HOOMD on two and four GPUs of Comet, which is no such scaling",
    efficiency=(
        PublishedRatio(
            "comet",
            over={"comet/hoomd-4-1-node": 1},
            under={"comet/hoomd-2-1-node": 1},
            text="{} as fast on four GPUs of a node as on two, by HOOMD: two do",
        ),
    ),
)
_LIQUID_ON_DEVICE = Question(
    text="What share of the rate of all cores has a device, for a liquid?",
    benchmark=DEVICE_LIQUID.name,
    metric="rate",
    rule=ShareRule(
        Selector({"case": "melt"}),
        Selector(layout={"ranks_per_node": LARGEST}),
        LJMD.name,
        (
            Band(0.0, "less", "leave such molecular dynamics on the host"),
            Band(0.9, "as much", "choose by where the other work is"),
            Band(1.1, "more", "molecular dynamics belongs on the device"),
        ),
    ),
    each=("device",),
    requires={Resource.RANKS: 2, Resource.DEVICES: 1},
    source=f"{_PAPER}: a liquid of 64,000 particles on GPUs of Comet",
    published=(
        PublishedStatement(
            "comet",
            "{comet/hoomd-2-1-node} on two GPUs of a node, {comet/hoomd-4-1-node} on four, "
            "{comet/hoomd-4-4-nodes} on four of four nodes; no rate of its cores is printed",
        ),
    ),
)

# Programs of machmeter's own that do what these applications do, on every machine.
_PROXIES = (LJMD, OFP, PLF, PWDFT, RING)
_PROXY_QUESTIONS = tuple(
    Question(
        text=f"{proxy.title}: which MPI library is faster?",
        benchmark=proxy.name,
        metric="rate",
        rule=replace(_BY_LIBRARY, candidate=Selector(layout={"ranks_per_node": LARGEST})),
        requires={Resource.MPI_LIBRARIES: 2, Resource.RANKS: 2},
    )
    for proxy in _PROXIES
)

COMET = Study(
    name="comet",
    title="How far do applications scale here, and under which MPI library?",
    summary="Applications of Tatineni et al. (MUG 2015), or what stands for them, over the ranks "
    "of this machine: NEURON under each MPI library, OpenFOAM, Quantum ESPRESSO, RAxML by its "
    "successor ExaML, the liquid of HOOMD by LAMMPS; and proxies of them under each MPI library; "
    "a liquid on a device. "
    "`comet-network` has the network half.",
    experiments=(
        *(Experiment(one.name, threads=ThreadSweep.ONE) for one in _PROXIES),
        Experiment(DEVICE_LIQUID.name, {"case": ("melt", "liquid")}),
    ),
    questions=(*_PROXY_QUESTIONS, _LIQUID_ON_DEVICE),
    budget_seconds=900.0,
    mpis=("mpich", "openmpi"),
    applications=(
        StudyApplication(
            "neuron-ring", RankSweep.EVERY, questions=(*_RING_QUESTIONS, _WHICH_LIBRARY)
        ),
        StudyApplication("openfoam-cavity", RankSweep.EVERY, questions=_CAVITY_QUESTIONS),
        StudyApplication("espresso-si", RankSweep.EVERY, questions=_SILICON_QUESTIONS),
        StudyApplication("examl", RankSweep.EVERY, questions=_EXAML_QUESTIONS),
        StudyApplication("lammps-liquid", RankSweep.EVERY, questions=_LIQUID_QUESTIONS),
    ),
)
