"""Several runs taken together: their launches, and what says that they differ."""

from __future__ import annotations

import pytest

from machmeter.analysis.stats.pooling import pooled
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from tests.support.made_up.estimates import made_up

PAIR = Layout(ranks_per_node=2)


def latency(value: float, size: int = 8, spread: float = 0.01) -> Estimate:
    return made_up("network.latency", {"size": size}, PAIR, "latency", value, spread)


def test_launches_of_runs_are_put_together() -> None:
    (one,) = pooled([[latency(1e-6)], [latency(1.001e-6)]])
    assert one.launches == 20
    assert len(one.launch_values) == len(set(one.launch_numbers)) == 20
    assert one.value == pytest.approx((1e-6 * 1.001e-6) ** 0.5)
    assert one.low < one.value < one.high
    assert len(set(one.rounds)) == len(one.rounds) == one.launches
    assert one.run_spread is None


def test_runs_that_lie_apart_are_told_of() -> None:
    (one,) = pooled([[latency(1e-6)], [latency(1.3e-6)]])
    assert one.run_spread
    assert (one.run_spread.low, one.run_spread.high) == pytest.approx((1e-6, 1.3e-6), rel=0.01)
    assert (one.high - one.low) / one.value > 0.1


def test_rounds_of_one_run_stay_common_and_those_of_two_do_not() -> None:
    a, b, other = latency(1e-6, 8), latency(2e-6, 16), latency(2e-6, 16)
    assert a.rounds == b.rounds == other.rounds != ()
    first, second = pooled([[a, b], [other]])
    assert first == a
    assert second.rounds[: a.launches] == a.rounds
    assert not set(second.rounds[a.launches :]) & set(a.rounds)
    assert pooled([[a]]) == (a,)


def test_shares_and_overheads_keep_their_scale() -> None:
    parameters: dict[str, Value] = {"size": 65536, "side": "send"}
    share = made_up("network.overlap", parameters, PAIR, "work_hidden", 0.5, 0.01)
    (one,) = pooled([[share], [share]])
    assert one.scale is share.scale
    assert one.value == pytest.approx(share.value)
    sync = made_up("threads.sync", {"construct": "for"}, Layout(threads_per_rank=2),
                   "overhead", 1e-6, 0.01)  # fmt: skip
    (two,) = pooled([[sync], [sync]])
    assert two.resolved
    assert two.value == pytest.approx(sync.value)
