"""Figures made up for tests: one-sided transfers and atomic operations, MPI and OpenSHMEM."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from tests.support.synthetic.maker import Maker

_SYNCHRONIZATIONS = {"lock-all": 1.0, "lock": 2.2, "fence": 5.0, "post-start": 3.1}
_WINDOWS = {"allocate": 1.0, "create": 1.9, "dynamic": 2.4, "shared": 0.9}
_BASE: dict[str, Value] = {
    "synchronization": "lock-all", "window": "allocate", "target": "waiting",
}  # fmt: skip


def _point(
    make: Maker, benchmark: str, parameters: dict[str, Value], layout: Layout, one: float
) -> list[Estimate]:
    """Time until all outstanding are complete, their rate and bandwidth; one: time of one alone."""
    outstanding = int(parameters["outstanding"])
    # A dozen overlap at most.
    time = one * max(1.0, outstanding / 12)
    figures = [("time", time), ("rate", outstanding / time)]
    if "size" in parameters:
        figures.append(("bandwidth", outstanding * int(parameters["size"]) / time))
    return [
        make.estimate(benchmark, parameters, layout, metric, value, 0.02)
        for metric, value in figures
    ]


def _time_of(size: int, operation: str) -> float:
    return {"put": 0.09e-6, "get": 0.2e-6}.get(operation, 0.5e-6) + size / 8e9


def transfers(make: Maker, mpi: str, slow: float) -> list[Estimate]:
    layout = Layout(ranks_per_node=2)
    found = []
    for operation in ("put", "get", "accumulate", "get-accumulate"):
        cases = [{"synchronization": name} for name in _SYNCHRONIZATIONS]
        if operation == "put":
            cases += [{"window": name} for name in _WINDOWS if name != "allocate"]
            cases.append({"target": "working"})
        for case in cases:
            for size in (8, 4096, 1048576):
                for outstanding in (1, 8, 64):
                    parameters = {
                        "operation": operation, "size": size, "outstanding": outstanding,
                        **_BASE, **case,
                    }  # fmt: skip
                    one = slow * _time_of(size, operation)
                    one *= _SYNCHRONIZATIONS[str(parameters["synchronization"])]
                    one *= _WINDOWS[str(parameters["window"])]
                    one *= 40 if parameters["target"] == "working" else 1
                    found += _point(make, "network.onesided", parameters, layout, one)
    return found


def atomics(make: Maker, mpi: str, slow: float) -> list[Estimate]:
    layout = Layout(ranks_per_node=2)
    return [
        figure
        for operation, one in (("fetch-and-op", 0.3e-6), ("compare-and-swap", 0.33e-6))
        for target, factor in (("waiting", 1.0), ("working", 30.0))
        for outstanding in (1, 64)
        for figure in _point(
            make,
            "network.atomics",
            {"operation": operation, "outstanding": outstanding, **_BASE, "target": target},
            layout,
            slow * factor * one,
        )
    ]


def shmem(make: Maker) -> list[Estimate]:
    found = []
    layout = Layout(ranks_per_node=2)
    for outstanding in (1, 64):
        for operation in ("put", "get"):
            for size in (8, 4096, 1048576):
                parameters: dict[str, Value] = {
                    "operation": operation, "size": size, "outstanding": outstanding,
                }  # fmt: skip
                found += _point(
                    make, "shmem.transfer", parameters, layout, _time_of(size, operation)
                )
        for operation in ("add", "inc", "fetch-add", "fetch-inc", "swap", "compare-swap"):
            parameters = {"operation": operation, "outstanding": outstanding}
            found += _point(make, "shmem.atomics", parameters, layout, 0.2e-6)
    for ranks in (2, 4):
        for size in (8, 4096, 65536):
            time = 1e-6 * ranks + size * ranks / 5e9
            for metric, value in (("time", time), ("injection", ranks * (ranks - 1) * size / time)):
                found.append(
                    make.estimate(
                        "shmem.alltoall", {"size": size}, Layout(ranks_per_node=ranks), metric,
                        value,
                    )
                )  # fmt: skip
    return found
