"""Of machines without a comparable result: the command that would measure one."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.report.views.nothing_common import what_would_be
from machmeter.text.comparison import MachinePair
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import code, machine, printed

HERE = machine(
    "here",
    made_up("memory.latency", {"size": 4096}, Layout(), "latency", 1e-9),
    parts=Parts(nodes=1, cores=2),
)
STATED = "nodes, ranks_per_node, threads_per_rank"


def of_threads(threads: int) -> Estimate:
    layout = Layout(threads_per_rank=threads)
    return made_up("threads.sync", {"construct": "barrier"}, layout, "overhead", 1e-6)


def wanted(*results: Estimate) -> tuple[str, ...]:
    there = published(*results)
    return what_would_be(MachinePair(there, HERE, compare_machines(there, HERE)))


def published(*results: Estimate) -> MachineResults:
    return machine(
        "paper", *(printed(one, stated=STATED) for one in results), origin=Origin.PUBLISHED
    )


def test_what_fits_this_machine_has_its_command() -> None:
    (command,) = wanted(of_threads(2))
    assert command.startswith("Measure what The paper has: `machmeter run threads.sync --set ")
    assert "construct=barrier" in command
    assert "--threads 2" in command


def test_what_this_machine_lacks_is_named() -> None:
    assert wanted(of_threads(104)) == ("threads.sync: it takes 104 cores, and here are 2",)
    apart = made_up("network.latency", {"size": 8}, Layout(nodes=2), "latency", 1e-6)
    assert wanted(apart) == ("network.latency: it takes 2 nodes, named with `--hosts`",)


def test_of_several_results_one_that_fits_is_enough() -> None:
    assert len(wanted(of_threads(104), of_threads(2))) == 1


def test_what_machmeter_does_not_measure_is_said_once() -> None:
    found = wanted(code("alpha", 1.0), code("beta", 2.0))
    assert found == ("machmeter does not measure workload.alpha, workload.beta",)


def test_two_published_machines_have_no_command() -> None:
    a, b = published(of_threads(2)), machine("file", code("alpha", 1.0), origin=Origin.IMPORTED)
    assert not what_would_be(MachinePair(a, b, compare_machines(a, b)))


def test_a_value_that_the_benchmark_refuses_makes_no_command() -> None:
    size = {"way": "map", "pages": "base", "size": 15_000_000_000}
    one = made_up("memory.allocation", {"size": 2**30}, Layout(), "total", 1.0)
    refused = replace(one, point=make_point("memory.allocation", size, Layout()))
    (need,) = wanted(refused)
    assert need.startswith(
        "memory.allocation: machmeter measures no size of 15000000000 (it must be a multiple of"
    )
