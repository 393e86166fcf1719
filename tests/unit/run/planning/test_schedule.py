"""Rounds in random order, the same for the same run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.model.plan.launch import Verdict
from machmeter.model.variant import Variant
from machmeter.run.planning.schedule import GIVE_UP_AFTER, given_up, launch_seed, round_order
from tests.support.fake_launcher import small_spec

SPECS = [small_spec(name) for name in "abcdefgh"]


@given(st.integers(0, 2**32), st.integers(1, 1000))
def test_a_round_holds_each_spec_once_and_can_be_repeated(seed: int, number: int) -> None:
    order = round_order(SPECS, seed, number)
    assert sorted(spec.name for (spec,) in order) == [spec.name for spec in SPECS]
    assert order == round_order(SPECS, seed, number)


BASELINE = Variant().as_baseline()


def test_variants_of_a_group_stand_together_any_of_them_first() -> None:
    variants = [
        s
        for one in SPECS
        for s in (
            one,
            replace(one, name=f"old {one.name}", variant=BASELINE, group=one.name),
            replace(one, name=f"other {one.name}", variant=Variant("other"), group=one.name),
        )
    ]
    firsts = set()
    for number in range(40):
        for group in round_order(variants, 1, number):
            assert len({one.group or one.name for one in group}) == 1
            assert len(group) == 3
            firsts.add(group[0].variant.name)
    assert firsts == {"", "baseline", "other"}


def test_each_spec_comes_first_about_as_often_as_any_other() -> None:
    firsts = [round_order(SPECS, 1, number)[0][0].name for number in range(800)]
    assert all(60 < firsts.count(spec.name) < 140 for spec in SPECS)


def test_launch_seeds_are_63_bits_and_differ() -> None:
    seeds = {launch_seed(run, number) for run in (1, 2) for number in range(500)}
    assert len(seeds) == 1000
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert max(seeds) > 2**61


GOOD, BAD, HUNG = Verdict.ACCEPTED, Verdict.FAILED, Verdict.TIMED_OUT


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], False),
        ([BAD] * (GIVE_UP_AFTER - 1), False),
        ([BAD] * GIVE_UP_AFTER, True),
        ([GOOD] + [BAD] * GIVE_UP_AFTER, True),
        ([BAD] * 9 + [GOOD], False),
        ([BAD, GOOD, BAD, BAD], False),
        ([HUNG], False),
        ([HUNG, HUNG], True),
        ([HUNG, GOOD, HUNG], False),
    ],
)
def test_a_spec_is_given_up_after_three_failures_or_two_hanging_launches_in_a_row(
    verdicts: list[Verdict], expected: bool
) -> None:
    assert given_up(verdicts) is expected


def test_launches_that_others_disturbed_give_nothing_up() -> None:
    disturbed = [Verdict.CONTENDED] * 7
    assert not given_up(disturbed)
    failed = [Verdict.FAILED] * (GIVE_UP_AFTER - 1)
    assert not given_up([*failed, *disturbed])
    assert given_up([*failed, *disturbed, Verdict.FAILED])
    assert given_up([Verdict.CONTENDED] * 10), "a machine that is never free"
    assert not given_up([Verdict.ACCEPTED, *disturbed])
