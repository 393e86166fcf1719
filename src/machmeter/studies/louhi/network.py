"""Study `louhi`: the network experiments of Lehto's thesis (2008), on this machine."""

from __future__ import annotations

from machmeter.model.benchmark import RankSweep
from machmeter.model.layout import ProgressMode
from machmeter.model.plan.study import Experiment, Study, StudyApplication
from machmeter.studies.louhi.gromacs_questions import GROMACS_QUESTIONS
from machmeter.studies.louhi.network_questions import LOUHI_QUESTIONS

KIB, MIB = 2**10, 2**20

_POWERS = (0, *(2**power for power in range(23)))
# Protocols switch at powers of two, or a few bytes of header before them.
_NEAR_SWITCHES = tuple(2**power + offset for power in range(10, 19) for offset in (-3, 3))
_SMALL_AND_LARGE = (8, 64 * KIB)
_OCTAVES = tuple(2**power for power in range(16, 23))
_MEANS = (ProgressMode.LIBRARY, ProgressMode.THREAD, ProgressMode.RESERVED)

LOUHI = Study(
    name="louhi",
    title="How much overlap does the network allow?",
    summary="The network experiments of Lehto (2008) on a Cray XT4 and an InfiniBand cluster, "
    "repeated here: protocol switches, MPI calls, bandwidth, progress of messages during "
    "computation, memory of connections, consistency across the system, and GROMACS over ranks "
    "where it is installed.",
    experiments=(
        Experiment("network.latency", {"size": tuple(sorted((*_POWERS, *_NEAR_SWITCHES)))}),
        Experiment(
            "network.latency",
            {
                "size": _SMALL_AND_LARGE,
                "way": ("nonblocking", "persistent", "partitioned", "matched-probe"),
            },
        ),
        Experiment("network.latency", {"size": _SMALL_AND_LARGE, "pattern": ("ping-ping",)}),
        Experiment("network.latency", {"size": _SMALL_AND_LARGE, "buffers": ("cold",)}),
        Experiment("network.latency", {"size": (64 * KIB,), "data": ("vector", "indexed")}),
        Experiment("network.latency", {"size": (64 * KIB, MIB)}, pages=True),
        Experiment("network.bandwidth", {"direction": ("one-way",)}),
        Experiment("network.bandwidth", {"direction": ("one-way",), "size": _OCTAVES}),
        Experiment("network.availability", progress=_MEANS),
        Experiment(
            "network.overlap",
            {"size": (8 * KIB, 32 * KIB, 128 * KIB, MIB)},
            progress=_MEANS,
        ),
        Experiment("network.consistency"),
        Experiment("network.startup", most_launches=12),
    ),
    questions=LOUHI_QUESTIONS,
    budget_seconds=450.0,
    applications=(
        StudyApplication(
            "gromacs-water",
            RankSweep.EVERY,
            questions=GROMACS_QUESTIONS,
        ),
    ),
)
