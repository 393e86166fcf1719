"""The comparison of pairs: what is read of pingpong, the statistic, the rows made."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.command import _COMPARE
from bench.comparisons.pairs import SAME, STATISTIC, best_window, one_way, rows, step_share
from bench.options import COMPARISONS
from bench.parsers import parse_pingpong
from bench.rounds import ContenderError, RoundResults
from bench.verdicts import TargetVerdict
from machmeter.benchmarks.threads import PROTOCOLS

HEAD = """avg latency to communicate a modified line from one core to another
times are in ns

"""
TWO_CPUS = f"""{HEAD}          1
 0:    95.3

"""
FOUR_CPUS = f"""{HEAD}          3       8      11
 1:   200.4    81.0   190.5
 3:            79.9   310.0
 8:                   222.2

"""


def test_the_one_way_time_of_two_cpus_comes_back_in_seconds() -> None:
    assert parse_pingpong(TWO_CPUS) == pytest.approx({(0, 1): 95.3e-9})


def test_each_pair_of_a_larger_table_is_found_under_its_own_cpus() -> None:
    assert parse_pingpong(FOUR_CPUS) == pytest.approx(
        {
            (1, 3): 200.4e-9,
            (1, 8): 81.0e-9,
            (1, 11): 190.5e-9,
            (3, 8): 79.9e-9,
            (3, 11): 310.0e-9,
            (8, 11): 222.2e-9,
        }
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no header line"),
        (TWO_CPUS.replace("in ns", "in us"), "no header line"),
        (f"{HEAD}\n\n", "no header line"),
        (TWO_CPUS.split(" 0:", maxsplit=1)[0], "no line of its table"),
        (TWO_CPUS.replace("95.3", "0.0"), "is 0.0, not above zero"),
        (TWO_CPUS.replace("95.3", "inf"), "is inf, not above zero"),
        (TWO_CPUS.replace("95.3", "9" * 30 + ".0"), "no line of its table"),
        (FOUR_CPUS.replace("   190.5", ""), "CPU 1 has 2 times"),
        (TWO_CPUS.replace("95.3", "95.3    96.0"), "CPU 0 has 2 times"),
    ],
)
def test_a_table_that_is_not_whole_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_pingpong(text)


@given(st.text(alphabet=st.sampled_from("0123456789.: \ninf-x"), max_size=200))
def test_rubbish_under_the_head_is_a_value_error_or_times_above_zero(text: str) -> None:
    try:
        found = parse_pingpong(HEAD + text)
    except ValueError:
        return
    assert found
    assert all(low < high for low, high in found)
    assert all(0 < seconds < 1 for seconds in found.values())


@given(
    st.lists(st.integers(0, 1023), min_size=2, max_size=12, unique=True).map(sorted),
    st.floats(1, 12_500),
)
def test_a_table_of_any_cpus_is_read_back(cpus: list[int], nanoseconds: float) -> None:
    lines = ["   " + "".join(f"{cpu:8d}" for cpu in cpus[1:])]
    for position, cpu in enumerate(cpus[:-1]):
        times = f"{nanoseconds:8.1f}" * (len(cpus) - 1 - position)
        lines.append(f"{cpu:2d}:{' ' * 8 * position}{times}")
    found = parse_pingpong(HEAD + "\n".join(lines) + "\n\n")
    assert len(found) == len(cpus) * (len(cpus) - 1) // 2
    expected = float(f"{nanoseconds:.1f}") * 1e-9
    assert all(math.isclose(seconds, expected) for seconds in found.values())


def test_a_launch_on_other_cpus_gives_no_result() -> None:
    assert one_way({(0, 1): 2e-7}, (0, 1)) == 2e-7
    with pytest.raises(ContenderError, match="measured CPUs 0-2, not 0-1"):
        one_way({(0, 2): 2e-7}, (0, 1))
    with pytest.raises(ContenderError, match="measured CPUs 0-1, 0-2, 1-2, not 0-1"):
        one_way({(0, 1): 2e-7, (0, 2): 2e-7, (1, 2): 2e-7}, (0, 1))


def test_the_best_of_the_first_five_windows_counts_by_its_mean() -> None:
    calm, disturbed, late = (0.1, 0.3), (0.05, 0.9), (0.1, 0.2)
    samples = (*disturbed * 2, *calm, *disturbed * 2, *late)
    assert best_window(samples, batch=1) == pytest.approx(0.2)
    assert best_window([seconds / 1000 for seconds in samples], batch=1000) == pytest.approx(2e-4)
    # Windows are of time, not of samples: many short ones fill the first, one fills the second.
    assert best_window((0.05,) * 5 + (1.0,), batch=1) == pytest.approx(0.05)


def test_samples_that_fill_no_window_give_no_result() -> None:
    with pytest.raises(ValueError, match="do not fill"):
        best_window((0.1, 0.1), batch=1)


def measured(ours: float, peer: float, spread: float = 0.001) -> RoundResults:
    """Six rounds; both sides apart from their own means by `spread`, in opposite ways."""
    signs = {n: spread * (-1) ** n for n in range(6)}
    return RoundResults(
        {
            "ours": {STATISTIC: {n: ours * (1 + sign) for n, sign in signs.items()}},
            "peer": {STATISTIC: {n: peer * (1 - sign) for n, sign in signs.items()}},
        },
        {},
        6,
    )


@pytest.mark.parametrize(
    ("ours", "spread", "verdict"),
    [
        (100e-9, 0.001, TargetVerdict.PASS),
        (105e-9, 0.001, TargetVerdict.PASS),
        (80e-9, 0.001, TargetVerdict.MISSED),
        (130e-9, 0.001, TargetVerdict.MISSED),
        (109e-9, 0.05, TargetVerdict.INCONCLUSIVE),
        (100e-9, 0.4, TargetVerdict.INCONCLUSIVE),
    ],
)
def test_the_whole_interval_must_be_within_ten_percent(
    ours: float, spread: float, verdict: TargetVerdict
) -> None:
    (row,) = rows("one-line", ("ours", "peer"), measured(ours, 100e-9, spread))
    assert row.verdict is verdict
    assert row.what == "one-line\n: pingpong -u -r 0"


def test_the_shorter_time_is_the_better_one() -> None:
    (row,) = rows("one-line", ("ours", "peer"), measured(50e-9, 100e-9))
    assert row.ratio == pytest.approx(2.0, rel=1e-2)


def test_a_count_that_is_too_coarse_has_no_target() -> None:
    assert step_share(100e-9) == pytest.approx(0.008)
    (row,) = rows("compare-and-swap", ("ours", "peer"), measured(2e-6, 1e-6))
    assert row.verdict is TargetVerdict.SHOWN


def test_without_two_rounds_of_both_there_is_no_row() -> None:
    assert rows("one-line", ("ours", "missing"), measured(1e-7, 1e-7)) == []


def test_the_comparison_is_known_and_its_protocols_are_ours() -> None:
    assert set(SAME) <= set(PROTOCOLS)
    assert set(_COMPARE) == set(COMPARISONS)
