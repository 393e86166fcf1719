"""Another MPI library is launched with the small message that the run measures."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import make_point
from machmeter.run.planning.other_library import LIBRARY_LAUNCHES, library_specs
from machmeter.run.planning.plan import expected, make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.studies.select import select
from tests.support.fake_launcher import PRECISION, small_spec, synthetic_machine

LAYOUT = Layout(ranks_per_node=2)


def with_other() -> Machine:
    machine = synthetic_machine()
    return replace(machine, software=replace(machine.software, other_mpi="/usr"))


def latency(*sizes: int, layout: Layout = LAYOUT) -> LaunchSpec:
    points = tuple(make_point("network.latency", {"size": size}, layout) for size in sizes)
    return replace(
        small_spec(), benchmark="network.latency", layout=layout, points=points, group="pair"
    )


def test_the_small_message_alone_is_launched_twice_by_the_other_library() -> None:
    (spec,) = library_specs([small_spec(), latency(64, 1, 8)], with_other())
    assert (spec.role, spec.most_launches, spec.group) == ("library", LIBRARY_LAUNCHES, "")
    (point,) = spec.points
    assert (point.get("size"), point.variant.mpi) == (8, "/usr")
    assert (spec.variant.mpi, spec.layout) == ("/usr", LAYOUT)


def test_nothing_is_launched_without_another_library_or_a_message_on_one_node() -> None:
    assert library_specs([latency(8)], synthetic_machine()) == ()
    across = latency(8, layout=replace(LAYOUT, nodes=2))
    shared = latency(8, layout=replace(LAYOUT, oversubscribe=True))
    assert library_specs([small_spec(), latency(64), across, shared], with_other()) == ()


def test_the_launches_are_in_the_plan_and_in_the_time_that_it_takes() -> None:
    study, machine = select(("network.latency",), {"size": "8"}), with_other()
    plan = make_plan(study, machine, LayoutOptions(), PRECISION, NO_SIZES)
    alone = replace(plan, specs=tuple(spec for spec in plan.specs if spec.role != "library"))
    assert len(plan.specs) == len(alone.specs) + 1
    more, fewer = (expected(one, study, machine) for one in (plan, alone))
    assert more.launches == fewer.launches + LIBRARY_LAUNCHES
    assert more.seconds > fewer.seconds
    assert plan.points == alone.points
