"""The command beside a figure, read back by the command line, plans that very point."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from machmeter.cli.options.hosts import parse_hosts
from machmeter.cli.options.run_options import options_of, request_of
from machmeter.cli.parser import parser
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.layout import Layout, ProgressMode
from machmeter.model.machine import Machine
from machmeter.model.point import Point, make_point
from machmeter.model.results.run import Plan, Request
from machmeter.model.variant import ONLY
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.studies.select import STUDIES
from machmeter.text.commands import also_measured, command_for
from tests.support.fake_launcher import GIB, synthetic_machine
from tests.support.sysfs_tree import Shape

MOST_POINTS = 12
LIBRARIES = {"libgomp": "/a", "libomp": "/b"}
ALLOCATORS = {"glibc": "/c", "jemalloc": "/d"}


def with_libraries(machine: Machine) -> Machine:
    software = replace(
        machine.software, openmp_runtimes=LIBRARIES, allocators=ALLOCATORS, shmem="/"
    )
    return replace(machine, software=software)


TWO_CORES = synthetic_machine()
TWO_PACKAGES = with_libraries(
    synthetic_machine(Shape(packages=2, domains=2, cores=4, smt=2), available=64 * GIB)
)


def asked_by(words: Sequence[str]) -> Request:
    """What `machmeter run` makes of its words."""
    run = parser().commands["run"]  # type: ignore[attr-defined]
    given = run.make_context("run", list(words)).params
    return request_of(options_of(given, Hosts(parse_hosts(given["hosts"]), given["remote_shell"])))


def planned(asked: Request, machine: Machine) -> Plan:
    return plan_before_sizing(asked, machine)


def redone(point: Point, asked: Request, machine: Machine) -> tuple[Point, ...]:
    words = shlex.split(command_for(point, asked))
    assert words[:2] == ["machmeter", "run"]
    return planned(asked_by(words[2:]), machine).points


def alone(point: Point) -> Point:
    """The point as it is where its MPI library is the only one of a run."""
    return replace(point, variant=ONLY)


@pytest.mark.parametrize("machine", [TWO_CORES, TWO_PACKAGES], ids=["2 cores", "2 packages"])
@pytest.mark.parametrize("study", [study.name for study in STUDIES if study.experiments])
@pytest.mark.parametrize("hosts", ["", "n1,n2"])
def test_the_command_measures_that_point(study: str, machine: Machine, hosts: str) -> None:
    asked = asked_by([study, "--precision", "1.5%", *(["--hosts", hosts] if hosts else [])])
    # An application has `machmeter explore`.
    points = [p for p in planned(asked, machine).points if not p.benchmark.startswith("app.")]
    assert points
    for point in points[:: max(1, len(points) // MOST_POINTS)]:
        found = redone(point, asked, machine)
        assert alone(point) in found, command_for(point, asked)
        if not also_measured(point, machine):
            assert found == (alone(point),), command_for(point, asked)


def test_the_precision_and_the_surroundings_are_asked_for_again() -> None:
    asked = asked_by(
        shlex.split(
            "network.latency --set size=64KiB --precision 0.5% --min-launches 5 --max-launches 70 "
            "--mpi openmpi --compiler 'g++ 12' --remote-shell '/bin/my agent' --hosts n1,n2 "
            "--one-machine"
        )
    )
    plan = planned(asked, TWO_CORES)
    assert {spec.one_machine for spec in plan.specs if spec.of_points} == {True}
    again = asked_by(shlex.split(command_for(plan.points[0], asked))[2:])
    assert again.precision == replace(
        asked.precision, budget_seconds=again.precision.budget_seconds
    )
    assert (again.compiler, again.mpi) == ("g++ 12", "openmpi")
    assert again.layout_options.hosts == ("n1", "n2")
    assert again.layout_options.remote_shell == "/bin/my agent"
    assert again.layout_options.one_machine is True


def test_one_of_several_libraries_is_measured_alone() -> None:
    asked = asked_by(["network.latency", "--mpi", "mpich", "--mpi", "openmpi", "--set", "size=8"])
    for point in planned(asked, TWO_CORES).points:
        again = asked_by(shlex.split(command_for(point, asked))[2:])
        assert again.mpi == point.variant.mpi


def test_what_is_the_benchmarks_own_is_left_out() -> None:
    asked = asked_by(["network.latency"])
    point = planned(asked, TWO_CORES).points[0]
    assert command_for(point, asked) == (
        "machmeter run network.latency --set size=0 --ranks 2 --mpi mpich"
    )


def test_a_progress_thread_on_reserved_cores_is_asked_for() -> None:
    asked = asked_by(["network.availability", "--progress", "reserved", "--ranks", "2"])
    points = planned(asked, TWO_PACKAGES).points
    assert {p.layout.progress for p in points} == {ProgressMode.RESERVED}
    assert redone(points[0], asked, TWO_PACKAGES) == (points[0],)


@pytest.mark.parametrize(
    "point",
    [
        make_point("of.another.version", {"size": 8}, Layout()),
        make_point("network.latency", {"unheard-of": 8}, Layout()),
    ],
)
def test_what_the_catalogue_lacks_has_no_command(point: Point) -> None:
    asked = asked_by(["network.latency"])
    assert command_for(point, asked) == ""
    assert also_measured(point, TWO_PACKAGES) == ()
