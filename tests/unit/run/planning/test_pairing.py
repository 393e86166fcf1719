"""Which points of two sides stand beside one another, and what becomes of the rest."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.benchmark import ThreadSweep
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import Experiment, Study
from machmeter.model.results.run import Plan, Request, Skipped
from machmeter.model.variant import ONLY
from machmeter.run.planning.pairing import plan_of
from machmeter.run.planning.sizing import NO_SIZES
from tests.support.fake_launcher import KIB, synthetic_machine
from tests.support.made_up.ab_runs import ASKED, against, asking

NAMES = ("opencl:0", "cuda:0")


def study(*experiments: Experiment) -> Study:
    return Study("small", "", "", experiments)


def sync(*constructs: str) -> Experiment:
    return Experiment("threads.sync", {"construct": constructs}, threads=ThreadSweep.ENDS)


def planned(new: Request, old: Request, *, rest: bool = False) -> Plan:
    return plan_of(new, synthetic_machine(), NO_SIZES, against(old, rest=rest))


def partners(plan: Plan) -> list[tuple[LaunchSpec, LaunchSpec]]:
    by_name = {spec.name: spec for spec in plan.specs}
    return [(by_name[spec.group], spec) for spec in plan.specs if spec.variant.is_baseline]


def test_the_same_twice_pairs_every_point_with_itself() -> None:
    one = plan_of(ASKED, synthetic_machine(), NO_SIZES)
    both = planned(ASKED, ASKED)
    assert len(both.points) == 2 * len(one.points)
    for new, old in partners(both):
        assert [replace(p, variant=ONLY) for p in old.points] == list(new.points)
        assert new.name != old.name
    assert both.skipped == one.skipped
    assert [s.name for s in both.specs if not s.of_points] == [
        s.name for s in one.specs if not s.of_points
    ]


def test_each_side_measures_the_devices_that_it_names() -> None:
    there = (
        NamedDevice("opencl:0", "opencl:a:0", Device("opencl", "EPYC", "cpu")),
        NamedDevice("cuda:0", "cuda:GPU-1", Device("cuda", "H100", "gpu")),
    )
    machine = replace(synthetic_machine(), devices=there)
    software = replace(machine.software, opencl=("liba.so",))
    one = study(Experiment("device.latency", {"size": (16384,)}))
    new, old = (asking(one, devices=(name,)) for name in NAMES)
    plan = plan_of(new, replace(machine, software=software), NO_SIZES, against(old))
    every = partners(plan)
    assert every
    for candidate, baseline in every:
        assert (candidate.layout.device, baseline.layout.device) == NAMES


def test_only_points_of_both_are_measured_and_the_rest_is_told() -> None:
    new = asking(study(sync("barrier", "single")))
    old = asking(study(sync("barrier", "critical")))
    plan = planned(new, old)
    assert {point.get("construct") for point in plan.points} == {"barrier"}
    told = [one for one in plan.skipped if "--unpaired" in one.reason]
    assert told
    assert all("1 point" in one.what for one in told)
    assert any("4 points of run an-old-run" in note for note in plan.notes)


def test_unpaired_points_are_measured_by_launches_of_their_own() -> None:
    new = asking(study(sync("barrier", "single"), Experiment("memory.latency", {"size": (8192,)})))
    plan = planned(new, asking(study(sync("barrier"))), rest=True)
    alone = [s for s in plan.specs if s.of_points and not s.variant.is_baseline]
    named = {spec.name for spec, _ in partners(plan)}
    left = [spec for spec in alone if spec.name not in named]
    assert {spec.benchmark for spec in left} == {"threads.sync", "memory.latency"}
    for spec in left:
        assert all(dict(point.parameters).get("construct") != "barrier" for point in spec.points)
    assert not any("--unpaired" in one.reason for one in plan.skipped)


def test_what_differs_on_both_sides_altogether_makes_partners_of_other_layouts() -> None:
    only = study(Experiment("threads.sync", {"construct": ("barrier",)}))
    close = asking(only, threads=(2,), bindings=(Binding.CLOSE,))
    spread = asking(only, threads=(2,), bindings=(Binding.SPREAD,))
    found = partners(planned(spread, close))
    assert found
    for new, old in found:
        assert (new.layout.binding, old.layout.binding) == (Binding.SPREAD, Binding.CLOSE)
        assert replace(new.layout, binding=Binding.CLOSE) == old.layout
        assert [p.parameters for p in new.points] == [p.parameters for p in old.points]
        assert all(p.layout == old.layout for p in old.points)


def test_a_layout_that_both_have_is_never_set_beside_another() -> None:
    only = study(Experiment("threads.sync", {"construct": ("barrier",)}))
    plan = planned(asking(only, threads=(2,)), asking(only, threads=(1, 2)))
    assert {spec.layout.threads for spec in plan.specs if spec.of_points} == {2}


def test_one_mpi_is_paired_with_another_and_one_of_several_with_itself() -> None:
    only = study(Experiment("network.latency", {"size": (8,)}))
    mpich, openmpi = (replace(asking(only), mpi=name) for name in ("mpich", "openmpi"))
    ((new, old),) = partners(planned(openmpi, mpich))
    assert new.layout == old.layout
    several = replace(asking(only, mpis=("mpich", "openmpi")), mpi="mpich,openmpi")
    ((new, old),) = partners(planned(openmpi, several))
    assert old.variant.mpi == "openmpi"
    assert new.variant.mpi == ""


def test_what_neither_side_can_run_is_told_once() -> None:
    both = asking(study(sync("barrier")), threads=(1, 2, 64))
    plan = planned(both, both)
    assert plan.skipped == plan_of(both, synthetic_machine(), NO_SIZES).skipped
    assert plan.skipped
    other = asking(study(sync("barrier")), threads=(1, 32))
    told = [one.what for one in planned(both, other).skipped]
    assert any(what.startswith("baseline: ") for what in told)


def test_what_is_known_no_more_is_told_with_its_run() -> None:
    asked = asking(study(sync("barrier")))
    gone = Skipped("memory.gone", "run an-old-run asked for it, and there is none")
    old = replace(against(asked), left_out=(gone,))
    assert gone in plan_of(asked, synthetic_machine(), NO_SIZES, old).skipped


def test_sides_without_a_point_in_common_are_refused() -> None:
    latency = asking(study(Experiment("memory.latency", {"size": (8 * KIB,)})))
    with pytest.raises(UsageError, match="an-old-run") as caught:
        planned(latency, asking(study(sync("barrier"))))
    assert "only what is named differs" in caught.value.remedy
