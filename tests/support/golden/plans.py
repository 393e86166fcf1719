"""What is planned on the stored topologies, as one hash for each benchmark or study.

`tests/data/plans.json` has them; `make golden` writes it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.explore import COMMAND, COPIES, FOLDER, PROCESS, RANKS
from machmeter.layout.assign import assign
from machmeter.machine.topology.hwloc_read import read_hwloc
from machmeter.model.layout import Assignment
from machmeter.model.machine import Machine, Topology
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.results.run import Precision, Request
from machmeter.model.twin import Twin
from machmeter.run.planning.pairing import plan_of
from machmeter.run.planning.sizing import choose_sizes
from machmeter.simulation.as_machine import machine_of
from machmeter.simulation.nodes import hosts_of_twin
from machmeter.studies.explore import explore_study
from machmeter.studies.select import STUDIES, select
from tests.support.fake_launcher import synthetic_machine
from tests.support.paths import DATA
from tests.support.sysfs_tree import Shape

PLANS = DATA / "plans.json"
Planned = tuple[LaunchSpec, Assignment]
_EVERY = select([one.name for one in BENCHMARKS], {})
_COMMAND = Command(("/opt/program", "{threads}"), "/home/somebody", 60.0)
_TOLD = {COMMAND: "program {threads}", FOLDER: "/home/somebody"}


def machines() -> Iterator[tuple[str, Machine]]:
    """With the topologies of files, and with some that are made: small, with SMT, without any
    domain."""
    for path in sorted((DATA / "hwloc").glob("*.xml")):
        yield path.stem, _machine(read_hwloc(path))
    yield "two cores", _machine(Shape(1, 1, 2, 1).topology())
    yield "four domains", _machine(Shape(2, 2, 4, 2).topology())
    some = Shape(2, 1, 4, 2).topology()
    cpus = tuple(replace(cpu, numa=-1) for cpu in some.cpus)
    yield "no domains", _machine(replace(some, cpus=cpus))


def planned_on(machine: Machine) -> dict[str, str]:
    """The hash of what is planned of each benchmark, for each study and of programs that are not
    ours."""
    studies = {f"study {one.name}": _planned(_request(one), machine) for one in STUDIES}
    found = _by_benchmark(_request(_EVERY), machine)
    for study in _explored():
        found |= _by_benchmark(_request(study), machine)
    return found | {what: _hash(specs) for what, specs in studies.items()}


def planned_in(twin: Twin) -> dict[str, str]:
    """The hash of what is planned of each benchmark that models describe."""
    layout = LayoutOptions(hosts=hosts_of_twin(twin, LayoutOptions()))
    return _by_benchmark(
        replace(_request(_EVERY), twin=twin, layout_options=layout), machine_of(twin)
    )


def _machine(topology: Topology) -> Machine:
    return replace(synthetic_machine(), topology=topology)


def _explored() -> Iterator[Study]:
    """Of programs that are not ours."""
    for program in (PROCESS, RANKS, COPIES):
        command = replace(_COMMAND, copies=program is COPIES)
        yield explore_study(command, program, _TOLD, LayoutOptions())


def _request(study: Study) -> Request:
    return Request((study.name,), study, LayoutOptions(), Precision(), "mpich", "")


def _planned(request: Request, machine: Machine) -> list[Planned]:
    plan = plan_of(request, machine, choose_sizes(machine, ()))
    layouts = dict.fromkeys(one.layout for one in plan.specs)
    cpus = {layout: assign(layout, machine.topology) for layout in layouts}
    return [(one, cpus[one.layout]) for one in plan.specs]


def _by_benchmark(request: Request, machine: Machine) -> dict[str, str]:
    of: dict[str, list[Planned]] = {}
    for one in _planned(request, machine):
        of.setdefault(one[0].benchmark, []).append(one)
    return {benchmark: _hash(specs) for benchmark, specs in of.items()}


def _hash(specs: list[Planned]) -> str:
    """Of all launches and their CPUs, as they are stored."""
    return hashlib.sha256(msgspec.json.encode(specs, order="deterministic")).hexdigest()[:12]
