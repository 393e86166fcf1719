"""A run of the studies of the network made up for tests: six nodes, two libraries, a bad host."""

from __future__ import annotations

import math
from itertools import combinations

from msgspec.structs import replace

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout, ProgressMode
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.results.run import RunResult
from machmeter.model.variant import Variant
from tests.support.made_up.findings import made_up_finding
from tests.support.synthetic import messages, onesided
from tests.support.synthetic.machine import make_packages
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.run import make_run

HOSTS = ("n1", "n2", "n3", "n4", "n5", "n6")
BAD_HOST = "n4"
LIBRARIES = ("mpich", "openmpi")
OPERATIONS = (
    "bcast", "gather", "scatter", "allgather", "reduce", "allreduce", "reduce-scatter", "scan",
    "alltoall", "gatherv", "scatterv", "allgatherv", "alltoallv", "neighbor-allgather",
    "neighbor-alltoall",
)  # fmt: skip
_REDUCTIONS = ("reduce", "allreduce", "reduce-scatter", "scan")
_SIZES = (8, 1024, 65536)
TRANSPORTS = {
    "mpich": {"netmod": "ofi", "provider": "tcp;ofi_rxm", "shm": "posix"},
    "openmpi": {"pml": "ob1", "btl": "self,sm,tcp"},
}


def make_network_run(
    libraries: tuple[str, ...] = LIBRARIES, hosts: tuple[str, ...] = HOSTS
) -> RunResult:
    """Every benchmark of the network; one library has no name of its own in the layouts."""
    make = Maker(23)
    names = libraries if len(libraries) > 1 else ("",)
    both = tuple(one for mpi in names for one in _of_library(make, mpi, len(hosts)))
    run = make_run("front1", (1, 2))
    asked = replace(run.header.request, names=("edison-network",), mpi=",".join(libraries))
    machine = make_packages(2, 2, 4)
    return replace(
        run,
        header=replace(
            run.header,
            machine=machine,
            request=asked,
            command=("machmeter", "run", "edison-network"),
        ),
        estimates=both,
        findings=_findings(),
        knees={},
        protocols=tuple(
            messages.protocols(Layout(ranks_per_node=2), Variant(mpi)) for mpi in names
        ),
        rank_hosts=hosts,
        transports={name: TRANSPORTS.get(name, {}) for name in libraries},
    )


def make_laptop_network_run() -> RunResult:
    """The same of one library on one machine, whose ranks stand for nodes."""
    return make_network_run(("mpich",), ("laptop",) * 4)


def _of_library(make: Maker, mpi: str, nodes: int) -> list[Estimate]:
    slow = 1.0 if mpi != "openmpi" else 0.7
    with make.of_variant(Variant(mpi)):
        found = [
            *messages.latency(make, slow),
            *messages.pairs(make, slow),
            *messages.bandwidth(make, slow),
            *messages.threads(make, slow),
            *messages.overlap(make),
            *messages.availability(make),
            *_collectives(make, slow),
            *_barrier(make, slow),
            *_collective_overlap(make),
            *onesided.transfers(make, mpi, slow),
            *onesided.atomics(make, mpi, slow),
            *_startup(make, mpi),
        ]
    return [
        *found,
        *(consistency(make, nodes) if mpi in {"", LIBRARIES[0]} else []),
        *(onesided.shmem(make) if mpi in {"", LIBRARIES[-1]} else []),
    ]


def _collective(
    make: Maker, layout: Layout, operation: str, size: int, slow: float, more: dict[str, str]
) -> list[Estimate]:
    ranks = layout.ranks
    whole = ranks if operation.startswith(("all", "gather", "scatter", "neigh")) else 1
    time = slow * (1e-6 * math.log2(2 * ranks) + size * whole / 6e9)
    time *= {"blocking": 1.0, "nonblocking": 1.15, "persistent": 0.93}[more.get("form", "blocking")]
    time *= 1.12 if more.get("start") == "barrier" else 1.0
    time *= {"float": 1.0, "char": 1.7, "double": 0.97, "int32": 1.0}[more.get("datatype", "float")]
    parameters: dict[str, Value] = {
        "operation": operation, "size": size, "form": "blocking", "start": "time",
        "datatype": "float", **more,
    }  # fmt: skip
    found = [make.estimate("network.collective", parameters, layout, "time", time, 0.03)]
    if operation.startswith("alltoall"):
        rate = layout.ranks_per_node * (ranks - 1) * size / time
        found.append(make.estimate("network.collective", parameters, layout, "injection", rate))
    return found


def _collectives(make: Maker, slow: float) -> list[Estimate]:
    found = []
    for nodes, ranks in ((1, 4), (2, 4), (4, 4)):
        layout = Layout(nodes=nodes, ranks_per_node=ranks)
        for operation in OPERATIONS if nodes == 1 else ("alltoall", "allreduce"):
            for size in _SIZES:
                found += _collective(make, layout, operation, size, slow, {})
    layout = Layout(ranks_per_node=4)
    variants = [{"form": form} for form in ("nonblocking", "persistent")]
    variants += [{"start": "barrier"}]
    for operation in OPERATIONS[:9]:
        datatypes = [{"datatype": "char"}] if operation in _REDUCTIONS else []
        for size in _SIZES[:2]:
            for more in variants + datatypes:
                found += _collective(make, layout, operation, size, slow, more)
    return found


def _barrier(make: Maker, slow: float) -> list[Estimate]:
    return [
        make.estimate(
            "network.barrier",
            {"form": form, "start": start},
            Layout(ranks_per_node=4),
            "time",
            slow * factor * (1.2e-6 if start == "time" else 1.4e-6),
            0.02,
        )
        for form, factor in (("blocking", 1.0), ("nonblocking", 1.1), ("persistent", 0.95))
        for start in ("time", "barrier")
    ]


def _collective_overlap(make: Maker) -> list[Estimate]:
    found = []
    for operation in ("bcast", "allreduce", "allgather", "alltoall"):
        for size in (65536, 1048576):
            for progress, share in ((ProgressMode.LIBRARY, 0.12), (ProgressMode.THREAD, 0.61)):
                layout = Layout(ranks_per_node=4, progress=progress)
                for metric, factor in (("work_hidden", 0.9), ("communication_hidden", 1.0)):
                    parameters = {"operation": operation, "size": size, "work_percent": 100}
                    found.append(
                        make.estimate(
                            "network.collective-overlap",
                            parameters,
                            layout,
                            metric,
                            share * factor - 0.05 * (operation == "bcast"),
                            0.03,
                        )
                    )
    return found


def _startup(make: Maker, mpi: str) -> list[Estimate]:
    found = []
    for ranks in (2, 4, 8, 16):
        layout = Layout(ranks_per_node=ranks, oversubscribe=ranks > 8)
        for metric, value in (
            ("init", 0.02 * ranks**0.4 if mpi != "openmpi" else 0.2 * ranks**0.3),
            ("contact", 4e-6 * ranks),
            ("memory", 21e6 + 180e3 * ranks),
            ("memory_before_contact", 20.5e6 + 90e3 * ranks),
        ):
            found.append(
                make.estimate("network.startup", {"size": 8}, layout, metric, value, 0.015)
            )
    return found


def consistency(make: Maker, nodes: int) -> list[Estimate]:
    """Every pair of nodes; those of the fourth one slow, where there are more than four."""
    found = []
    layout = Layout(nodes=nodes) if nodes > 4 else Layout(ranks_per_node=nodes)
    for a, b in combinations(range(nodes), 2):
        bad = 3.1 if nodes > 4 and 3 in (a, b) else 1.0
        for size in (8, 1048576):
            time = bad * (1.9e-6 + size / 1.1e9)
            parameters = {"pair": f"{a}-{b}", "size": size}
            of_pair = [("latency", time), ("bandwidth", size / time)]
            found += [
                make.estimate("network.consistency", parameters, layout, metric, value, 0.012)
                for metric, value in of_pair
            ]
    return found


def _findings() -> tuple[Finding, ...]:
    return (
        made_up_finding(
            "Is the system consistent, and if not, who is to blame?",
            "no: 5 of 15 pairs of nodes are outliers, all with n4: 3.08x [3.02, 3.14] the median; "
            "take n4 out of use and look at its link",
            "network.consistency, 8 B, 15 pairs, 12 launches",
            details=("n4: 5 pairs, 3.08x [3.02, 3.14]",),
            status=AnswerStatus.DECIDED,
        ),
        made_up_finding(
            "Where does the protocol switch, and what does it cost?",
            "at 16 KiB: 0.91 us [0.88, 0.94] more",
            "network.latency, 2 ranks, 12 launches",
            details=("mpich: at 16 KiB, +0.91 us [0.88, 0.94]", "openmpi: at 16 KiB, +0.63 us"),
            status=AnswerStatus.DECIDED,
        ),
    )
