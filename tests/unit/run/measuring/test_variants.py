"""Variants in any number, from a plan over launches to records and results."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from msgspec.structs import replace

from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Plan
from machmeter.model.variant import Role, Variant
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.tally import Tally
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import Sizes
from tests.support.fake_launcher import (
    PRECISION,
    STUDY,
    FakeLauncher,
    new_folder,
    synthetic_machine,
)

VARIANTS = (
    Variant(build="baseline", role=Role.BASELINE),
    Variant(build="candidate"),
    Variant(build="other candidate"),
)


def as_variant(spec: LaunchSpec, variant: Variant) -> LaunchSpec:
    return replace(
        spec,
        name=f"{spec.name} {variant.name}",
        variant=variant,
        points=tuple(replace(point, variant=variant) for point in spec.points),
        group=spec.name,
    )


def planner(sizes: Sizes) -> Plan:
    plan = make_plan(STUDY, synthetic_machine(), LayoutOptions(), PRECISION, sizes)
    specs = (
        one
        for spec in plan.specs
        for one in (
            [as_variant(spec, variant) for variant in VARIANTS] if spec.of_points else [spec]
        )
    )
    return replace(plan, specs=tuple(specs))


def test_three_variants_are_launched_in_one_round_and_recorded_apart(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    measure(folder, FakeLauncher(), PRECISION, planner, ignore_progress)
    plan = folder.plan()
    assert plan is not None
    of_points = [spec for spec in plan.specs if spec.of_points]
    assert len(of_points) == len(VARIANTS) * len({spec.group for spec in of_points})

    rounds = defaultdict(set)
    tally = Tally(PRECISION)
    for outcome in folder.outcomes():
        launch = folder.launch(outcome.launch)
        tally.add(launch.spec, outcome, folder.record(outcome.launch))
        if launch.spec.of_points:
            rounds[launch.spec.group, launch.round].add(launch.spec.variant)
    assert rounds
    assert all(variants == set(VARIANTS) for variants in rounds.values())
    for spec in of_points:
        estimates = tally.estimates(spec)
        assert {one.point.variant for one in estimates} == {spec.variant}
        assert all(one.launches >= PRECISION.least_launches for one in estimates)
