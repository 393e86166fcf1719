"""Study `comet-network`: the network half of Tatineni et al. (MUG 2015), on this machine."""

from __future__ import annotations

from machmeter.model.plan.study import Experiment, Study
from machmeter.studies.comet.network_questions import COMET_NETWORK_QUESTIONS

KIB, MIB = 2**10, 2**20

_ONE_AT_A_TIME = (1,)

COMET_NETWORK = Study(
    name="comet-network",
    title="Which MPI library is faster, and does one-sided communication progress by itself?",
    summary="The network experiments of Tatineni et al. (MUG 2015) on Comet and Gordon, repeated "
    "here: two MPI libraries in one session, one-sided transfers and atomic operations by MPI and "
    "OpenSHMEM, how many of them proceed concurrently, and whether the target must take part; "
    "with --device messages from and to its memory.",
    experiments=(
        Experiment("network.latency", {"size": (8, KIB, 16 * KIB, 64 * KIB, MIB)}),
        Experiment("network.bandwidth", {"size": (8, 8 * KIB, MIB), "direction": ("one-way",)}),
        Experiment("network.latency", {"size": (8, MIB), "buffers": ("device",)}),
        Experiment(
            "network.bandwidth",
            {"size": (MIB,), "direction": ("one-way",), "buffers": ("device",)},
        ),
        Experiment(
            "network.collective",
            {"operation": ("bcast", "allreduce", "alltoall"), "size": (8, 64 * KIB)},
        ),
        Experiment("network.onesided", {"size": (8, MIB), "synchronization": ("lock-all",)}),
        Experiment(
            "network.onesided",
            {
                "operation": ("put", "get"),
                "size": (8,),
                "window": ("allocate", "create", "dynamic", "shared"),
                "outstanding": _ONE_AT_A_TIME,
            },
        ),
        Experiment(
            "network.onesided",
            {
                "operation": ("put",),
                "size": (8,),
                "synchronization": ("fence", "post-start", "lock", "lock-all"),
                "outstanding": _ONE_AT_A_TIME,
            },
        ),
        Experiment(
            "network.onesided",
            {
                "operation": ("put", "get", "accumulate", "get-accumulate"),
                "size": (8,),
                "outstanding": _ONE_AT_A_TIME,
                "target": ("waiting", "working"),
            },
        ),
        Experiment("network.atomics"),
        Experiment(
            "network.atomics", {"outstanding": _ONE_AT_A_TIME, "target": ("waiting", "working")}
        ),
        Experiment("shmem.transfer", {"size": (8, MIB)}),
        Experiment("shmem.atomics"),
        Experiment("shmem.alltoall"),
    ),
    questions=COMET_NETWORK_QUESTIONS,
    budget_seconds=400.0,
    mpis=("mpich", "openmpi"),
)
