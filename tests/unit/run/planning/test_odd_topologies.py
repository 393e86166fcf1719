"""Plans on the stored topologies: as they were, also on machines with CPUs of no NUMA domain,
memory without CPUs, domains without memory.

`make golden` writes the hashes of `tests/data/plans.json` again; what they are of stands in
`tests/support/golden/plans.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest
from msgspec.structs import replace

from machmeter.machine.topology.hwloc_read import read_hwloc
from machmeter.model.machine import Topology
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import Plan
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import choose_sizes
from machmeter.simulation.builtin import find_twin, twin_names
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.golden.plans import PLANS, machines, planned_in, planned_on
from tests.support.paths import DATA
from tests.support.sysfs_tree import Shape

PLANNED = (
    *((name, partial(planned_on, machine)) for name, machine in machines()),
    *((f"twin {name}", partial(planned_in, find_twin(name))) for name in twin_names()),
)


def plan_on(topology: Topology, study: Study) -> Plan:
    machine = replace(synthetic_machine(), topology=topology)
    return make_plan(study, machine, LayoutOptions(), PRECISION, choose_sizes(machine, ()))


def matrix_on(topology: Topology, **parameters: tuple[str, ...]) -> tuple[set[str], set[str]]:
    """The pairs that `memory.matrix` measures, and the reasons for those that it does not."""
    study = Study("matrix", "", "", (Experiment("memory.matrix", parameters=parameters),), ())
    plan = plan_on(topology, study)
    points = (p for spec in plan.specs if spec.of_points for p in spec.points)
    return {str(dict(p.parameters)["pair"]) for p in points}, {one.reason for one in plan.skipped}


def without_domains(topology: Topology) -> Topology:
    return replace(topology, cpus=tuple(replace(cpu, numa=-1) for cpu in topology.cpus))


@pytest.mark.parametrize(("name", "planned"), PLANNED, ids=[name for name, _ in PLANNED])
def test_what_is_planned_is_as_it_was(
    name: str, planned: Callable[[], dict[str, str]], pytestconfig: pytest.Config
) -> None:
    stored, now = json.loads(PLANS.read_text()), planned()
    if pytestconfig.getoption("--write-golden"):
        stored = {one: stored.get(one, {}) for one, _ in PLANNED} | {name: now}
        PLANS.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    both = sorted(now.keys() | stored[name].keys())
    assert [what for what in both if now.get(what) != stored[name].get(what)] == []


def test_cpus_of_no_domain_are_left_out_with_the_reason() -> None:
    pairs, reasons = matrix_on(read_hwloc(DATA / "hwloc" / "two_packages_one_node.xml"))
    assert pairs == {"0-0"}
    assert "CPU 1 has no local memory domain" in reasons
    pairs, reasons = matrix_on(read_hwloc(DATA / "hwloc" / "half_without_memory.xml"))
    assert pairs == {"0-0"}
    assert "CPUs 4-7,12-15 have no local memory domain" in reasons
    pairs, reasons = matrix_on(without_domains(Shape(1, 1, 2, 1).topology()))
    assert pairs == set()
    assert "CPUs 0-1 have no local memory domain" in reasons


def test_memory_is_measured_where_there_is_some_and_it_is_allowed() -> None:
    pairs, reasons = matrix_on(read_hwloc(DATA / "hwloc" / "hbm_and_cxl.xml"))
    assert pairs == {"1-0", "1-1", "1-3", "2-0", "2-1", "2-3"}
    assert "this process may not allocate memory of NUMA domain 4 (Mems_allowed)" in reasons


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        ("1-2", "NUMA domain 2 has no memory"),
        ("1-4", "this process may not allocate memory of NUMA domain 4 (Mems_allowed)"),
        ("1-9", "this machine has no NUMA domain 9"),
        ("3-1", "no thread of this layout runs in NUMA domain 3"),
    ],
)
def test_a_requested_pair_without_memory_is_left_out_with_the_reason(
    pair: str, reason: str
) -> None:
    topology = read_hwloc(DATA / "hwloc" / "hbm_and_cxl.xml")
    pairs, reasons = matrix_on(topology, pair=("1-1", pair))
    assert pairs == {"1-1"}
    assert reason in reasons
