import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import trim_mean

from machmeter.analysis.stats.launch_value import (
    count_outliers,
    interquartile_mean,
    launch_value,
)
from machmeter.model.benchmark import Direction, Formula, Metric
from machmeter.model.plan.launch import Check, PointRecord
from machmeter.model.units import BYTES, BYTES_PER_SECOND_ONE_WAY, RATIO, SECONDS, SHARE, Unit

times = st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=60)


def metric(formula: Formula, *series: str, unit: Unit = SECONDS, amount: str = "") -> Metric:
    return Metric("m", "M", unit, Direction.LOWER, formula, series or ("seconds",), amount)


def record(facts: dict[str, float] | None = None, **series: list[float]) -> PointRecord:
    return PointRecord(
        parameters={},
        series={name: tuple(samples) for name, samples in series.items()},
        batch=1,
        check=Check(True, "sum"),
        quantities=facts or {},
    )


@given(times)
def test_interquartile_mean_is_scipys_trimmed_mean(samples: list[float]) -> None:
    assert math.isclose(interquartile_mean(samples), trim_mean(samples, 0.25), rel_tol=1e-9)


@given(times, st.integers())
def test_interquartile_mean_does_not_depend_on_order(samples: list[float], seed: int) -> None:
    shuffled = random.Random(seed).sample(samples, len(samples))
    assert interquartile_mean(shuffled) == interquartile_mean(samples)


def test_interquartile_mean_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        interquartile_mean([])


def test_time_is_the_interquartile_mean_after_the_warm_up() -> None:
    found = launch_value(metric(Formula.TIME), record(seconds=[9.0] * 10 + [2.0] * 90))
    assert found.value == 2.0
    assert (found.samples, found.warmup_cut, found.outliers) == (100, 10, 10)


def test_rate_divides_the_amount_by_the_time() -> None:
    rate = metric(Formula.RATE, unit=BYTES_PER_SECOND_ONE_WAY, amount="bytes")
    assert launch_value(rate, record({"bytes": 64.0}, seconds=[0.5] * 8)).value == 128.0


def test_a_time_does_not_depend_on_its_amount() -> None:
    time = metric(Formula.TIME, amount="partitions")
    assert launch_value(time, record({"partitions": 7.0}, seconds=[0.5] * 8)).value == 0.5


def test_a_quotient_divides_the_times_of_the_same_events() -> None:
    quotient = metric(Formula.QUOTIENT, "slowest", "mean", unit=RATIO)
    found = launch_value(quotient, record(slowest=[3.0] * 8, mean=[2.0] * 8, seconds=[9.0] * 8))
    assert found.value == 1.5
    warming = launch_value(
        quotient, record(slowest=[9.0] * 10 + [3.0] * 90, mean=[7.0] * 10 + [2.0] * 90)
    )
    assert (warming.value, warming.warmup_cut) == (1.5, 10)


@given(times)
def test_a_quotient_of_equal_times_is_one(samples: list[float]) -> None:
    quotient = metric(Formula.QUOTIENT, "a", "b", unit=RATIO)
    assert launch_value(quotient, record(a=samples, b=samples)).value == 1.0


def test_overhead_is_paired_and_divided_by_the_events() -> None:
    reference = [1.0, 5.0, 2.0, 7.0]
    test = [r + 6.0 for r in reference]
    over = metric(Formula.OVERHEAD, "test", "reference")
    assert launch_value(over, record(test=test, reference=reference)).value == 6.0
    per_event = record({"events_per_sample": 3.0}, test=test, reference=reference)
    assert launch_value(over, per_event).value == 2.0


def test_overhead_cuts_both_series_alike() -> None:
    reference = [8.0] * 10 + [1.0] * 90
    found = launch_value(
        metric(Formula.OVERHEAD, "test", "reference"),
        record(test=[4.0] * 100, reference=reference),
    )
    assert (found.value, found.warmup_cut) == (3.0, 10)


def test_an_overhead_may_be_negative() -> None:
    over = metric(Formula.OVERHEAD, "test", "reference")
    assert launch_value(over, record(test=[1.0] * 5, reference=[2.0] * 5)).value == -1.0


def test_both_definitions_of_overlap() -> None:
    series = {"total": [5.0] * 4, "work": [4.0] * 4, "communication": [2.0] * 4}
    names = ("total", "work", "communication")
    work = metric(Formula.WORK_HIDDEN, *names, unit=SHARE)
    communication = metric(Formula.COMMUNICATION_HIDDEN, *names, unit=SHARE)
    assert launch_value(work, record(None, **series)).value == 1 - 3 / 4
    assert launch_value(communication, record(None, **series)).value == 1 - 1 / 2


def test_shares_cut_all_series_alike() -> None:
    rising = [5.0 + i / 100 for i in range(100)]
    series = {
        "total": rising,
        "work": [9.0] * 40 + [4.0] * 60,
        "communication": [2.0] * 100,
    }
    share = metric(Formula.WORK_HIDDEN, *series, unit=SHARE)
    found = launch_value(share, record(None, **series))
    assert found.warmup_cut >= 40
    total = interquartile_mean(rising[found.warmup_cut :])
    assert found.value == 1 - (total - 2.0) / 4.0
    with pytest.raises(ValueError, match="differ in length"):
        launch_value(share, record(None, **series | {"work": [4.0] * 99}))


def test_an_amount_is_a_fact_as_it_stands() -> None:
    amount = Metric(
        "memory", "Memory", BYTES, Direction.LOWER, Formula.AMOUNT, series=(), amount="memory_bytes"
    )
    found = launch_value(amount, record({"memory_bytes": 4096.0}))
    assert (found.value, found.samples, found.warmup_cut, found.outliers) == (4096.0, 1, 0, 0)
    with pytest.raises(ValueError, match="lacks the fact 'memory_bytes'"):
        launch_value(amount, record(seconds=[1.0]))
    with pytest.raises(ValueError, match="not above zero"):
        launch_value(amount, record({"memory_bytes": 0.0}))


def of_messages(level: float, works: list[float], overhead: float) -> dict[str, list[float]]:
    return {
        "total": [max(level, work + overhead) for work in works],
        "work": works,
        "base": [level] * len(works),
    }


def test_availability_is_what_the_overhead_leaves_of_the_message() -> None:
    series = of_messages(4.0, [1.0, 8.0, 2.0, 16.0, 3.0, 12.0] * 10, 1.0)
    share = metric(Formula.AVAILABILITY, *series, unit=SHARE)
    found = launch_value(share, record(None, **series))
    assert math.isclose(found.value, 0.75, abs_tol=1e-9)
    assert (found.samples, found.outliers) == (60, 0)


def test_availability_cuts_the_warm_up_of_its_base_from_all_series() -> None:
    works = [1.0, 8.0, 2.0, 16.0, 3.0, 12.0]
    cold, warm = of_messages(40.0, works * 5, 39.0), of_messages(4.0, works * 15, 1.0)
    series = {name: cold[name] + warm[name] for name in cold}
    share = metric(Formula.AVAILABILITY, *series, unit=SHARE)
    found = launch_value(share, record(None, **series))
    assert found.warmup_cut == 30
    assert math.isclose(found.value, 0.75, abs_tol=1e-9)


def test_an_availability_that_cannot_be_told_is_named() -> None:
    series = of_messages(4.0, [1.0, 2.0, 3.0], 1.0)
    share = metric(Formula.AVAILABILITY, *series, unit=SHARE)
    with pytest.raises(ValueError, match="metric m: no work was as long"):
        launch_value(share, record(None, **series))
    with pytest.raises(ValueError, match="differ in length"):
        launch_value(share, record(None, **series | {"base": [4.0]}))


def test_shares_are_not_clamped() -> None:
    series = {"total": [9.0] * 4, "work": [4.0] * 4, "communication": [2.0] * 4}
    share = metric(Formula.COMMUNICATION_HIDDEN, "total", "work", "communication", unit=SHARE)
    assert launch_value(share, record(None, **series)).value == -1.5


def test_outliers_are_counted_beyond_three_ranges() -> None:
    samples = [float(i) for i in range(101)]
    assert count_outliers([*samples, 75.0 + 150.0]) == 0
    assert count_outliers([*samples, 300.0, 400.0]) == 2


@pytest.mark.parametrize(
    ("wanted", "recorded", "message"),
    [
        (metric(Formula.TIME), record(other=[1.0]), "'seconds' is missing.*other"),
        (metric(Formula.TIME), record(seconds=[]), "'seconds' is empty"),
        (metric(Formula.TIME), record(seconds=[1.0, math.nan]), "sample 1 .* is nan"),
        (metric(Formula.TIME), record(seconds=[math.inf]), "is inf"),
        (metric(Formula.TIME), record(seconds=[-1.0]), "is -1"),
        (metric(Formula.TIME), record(seconds=[0.0] * 4), "is zero"),
        (metric(Formula.TIME), record(seconds=[1.0, 5e-324]), "sample 1 .* is 5e-324"),
        (metric(Formula.TIME), record(seconds=[1e307]), r"is 1e\+307"),
        (metric(Formula.AMOUNT, amount="bytes"), record({"bytes": 1e-315}), "is 1e-315"),
        (
            metric(Formula.RATE, amount="bytes"),
            record({"bytes": 1e307}, seconds=[1e-9]),
            r"is 1e\+307",
        ),
        (
            metric(Formula.OVERHEAD, "a", "b"),
            record({"events_per_sample": 5e-324}, a=[2.0], b=[1.0]),
            "is 5e-324",
        ),
        (metric(Formula.RATE, amount="bytes"), record(seconds=[1.0]), "lacks the fact 'bytes'"),
        (metric(Formula.RATE, amount="bytes"), record({"bytes": 0.0}, seconds=[1.0]), "is 0.0"),
        (metric(Formula.OVERHEAD, "a", "b"), record(a=[1.0, 2.0], b=[1.0]), "differ in length"),
        (metric(Formula.OVERHEAD, "a"), record(a=[1.0]), "reads 2 series"),
        (metric(Formula.QUOTIENT, "a"), record(a=[1.0]), "reads 2 series"),
        (metric(Formula.QUOTIENT, "a", "b"), record(a=[1.0]), "'b' is missing"),
        (metric(Formula.QUOTIENT, "a", "b"), record(a=[1.0], b=[1.0, 2.0]), "differ in length"),
        (metric(Formula.QUOTIENT, "a", "b"), record(a=[1.0], b=[0.0]), "'b' is zero"),
        (metric(Formula.QUOTIENT, "a", "b"), record(a=[0.0], b=[1.0]), "'a' is zero"),
        (
            metric(Formula.WORK_HIDDEN, "total", "work", "communication"),
            record(total=[1.0], work=[0.0], communication=[1.0]),
            "'work' is zero",
        ),
    ],
)
def test_what_cannot_be_reduced_is_named(
    wanted: Metric, recorded: PointRecord, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        launch_value(wanted, recorded)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=60))
def test_outliers_are_those_beyond_the_quartiles_of_numpy(samples: list[float]) -> None:
    lower, upper = np.quantile(samples, (0.25, 0.75))
    reach = 3.0 * (upper - lower)
    # What lies on the bound itself may fall to either side by rounding.
    near = 1e-9 * max(samples)
    least = sum(one < lower - reach - near or one > upper + reach + near for one in samples)
    most = sum(one < lower - reach + near or one > upper + reach - near for one in samples)
    assert least <= count_outliers(samples) <= most
