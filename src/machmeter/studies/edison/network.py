"""Study `edison-network`: the network half of Austin et al. (CUG 2013), on this machine."""

from __future__ import annotations

from machmeter.model.benchmark import RankSweep
from machmeter.model.layout import Binding, ProgressMode
from machmeter.model.plan.study import Experiment, Study
from machmeter.studies.edison.network_questions import EDISON_NETWORK_QUESTIONS

KIB, MIB = 2**10, 2**20

_MEANS = (ProgressMode.LIBRARY, ProgressMode.THREAD, ProgressMode.RESERVED)
_BOTH_STARTS = ("time", "barrier")

EDISON_NETWORK = Study(
    name="edison-network",
    title="Which cores should talk, and does the network hold when all do?",
    summary="What Austin et al. (CUG 2013) asked of a Cray XC30, asked of this machine: latency by "
    "socket and number of pairs, both ways at once, message rate, all-to-all for each node, what a "
    "progress thread or a reserved core hides, and what definitions change.",
    experiments=(
        Experiment("network.pairs", bindings=(Binding.CLOSE,)),
        Experiment("network.pairs", bindings=(Binding.SPREAD,), packages=False),
        Experiment(
            "network.bandwidth",
            {"size": (8, 8 * KIB, 64 * KIB, MIB), "direction": ("one-way", "both-ways")},
        ),
        Experiment(
            "network.bandwidth",
            {"size": (8,), "direction": ("one-way",)},
            ranks=RankSweep.POWERS,
        ),
        Experiment("network.threads", {"size": (8,)}),
        Experiment(
            "network.collective",
            {"operation": ("alltoall",), "size": (8, KIB, 64 * KIB)},
        ),
        Experiment(
            "network.collective",
            {"operation": ("alltoall",), "size": (64 * KIB,)},
            ranks=RankSweep.POWERS,
        ),
        Experiment(
            "network.collective",
            {"operation": ("bcast", "allreduce", "alltoall"), "size": (8,), "start": _BOTH_STARTS},
        ),
        Experiment(
            "network.collective",
            {
                "operation": ("bcast", "allreduce", "alltoall"),
                "size": (8,),
                "form": ("nonblocking", "persistent"),
            },
        ),
        Experiment("network.barrier", {"start": _BOTH_STARTS}),
        Experiment(
            "network.overlap",
            {"size": (8 * KIB, 16 * KIB, 64 * KIB, MIB, 4 * MIB)},
            progress=_MEANS,
        ),
        Experiment(
            "network.collective-overlap",
            {"operation": ("allreduce", "alltoall"), "size": (64 * KIB,)},
            # On every core a rank: there is none to reserve.
            progress=_MEANS[:2],
        ),
    ),
    questions=EDISON_NETWORK_QUESTIONS,
    budget_seconds=400.0,
)
