"""A proxy beside its program: what more ranks bring to the one and to the other."""

from __future__ import annotations

import math

import pytest

from bench.comparisons.proxies.by_ranks import RATE, Pair, speedup_row
from bench.rounds import RoundResults
from bench.verdicts import TargetVerdict


def pair(ranks: int) -> Pair:
    return ranks, f"mine, {ranks}", f"its, {ranks}"


def results(**values: dict[int, float]) -> RoundResults:
    names = {name.replace("_", ", "): {RATE: rates} for name, rates in values.items()}
    return RoundResults(names, {})


def test_speedups_are_paired_by_round() -> None:
    measured = results(
        mine_1={1: 10.0, 2: 5.0, 3: 8.0},
        mine_2={1: 18.0, 2: 9.0, 4: 1.0},
        its_1={1: 3.0, 2: 6.0, 3: 3.0},
        its_2={1: 4.5, 2: 9.0, 3: 4.5},
    )
    row = speedup_row(measured, "its", pair(1), pair(2), "one run")
    assert row.what == "speedup, 1 to 2 ranks\n: its"
    assert row.launches == 2
    assert row.ratio == pytest.approx(1.8 / 1.5)
    assert row.verdict is TargetVerdict.SHOWN


def test_without_two_whole_rounds_there_is_none() -> None:
    measured = results(mine_1={1: 1.0}, mine_2={1: 2.0}, its_1={1: 1.0}, its_2={2: 2.0})
    row = speedup_row(measured, "its", pair(1), pair(2), "one run")
    assert math.isnan(row.ratio)
    assert row.verdict is TargetVerdict.FAILED
