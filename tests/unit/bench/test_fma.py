"""The comparison of peak rates: the limit of the clock, and the rows."""

import pytest

from bench.comparisons.arithmetic.fma import BLOCKS, LOOPS, Pair, best_mean, pair_rows, peak_flops
from bench.parsers import LikwidRun, parse_likwid_flops
from bench.rounds import Contender, RoundResults
from bench.verdicts import TargetVerdict, at_least
from machmeter.benchmarks.compute import WIDTHS

PRINTED = """Group: 0 Thread 0 Global Thread 0 running on hwthread 3 - Vector length 2000 Offset 0
Number of Flops:	6000000000
MFlops/s:		44408.72
MByte/s:		11842.33
"""


@pytest.mark.parametrize(
    ("width", "precision", "threads", "expected"),
    [
        ("256-bit", "double", 1, 48e9),
        ("256-bit", "single", 2, 192e9),
        ("512-bit", "double", 1, 96e9),
    ],
)
def test_the_limit_is_two_units_of_all_lanes(width, precision, threads, expected) -> None:
    assert peak_flops(3e9, width, precision, threads) == pytest.approx(expected)


def test_loops_are_of_widths_that_machmeter_has() -> None:
    assert {width for width, _ in LOOPS} <= set(WIDTHS)


def test_the_rate_of_likwid_bench_is_read_in_operations() -> None:
    assert parse_likwid_flops(PRINTED) == LikwidRun(44408.72e6, (3,))
    with pytest.raises(ValueError, match="MFlops/s"):
        parse_likwid_flops(PRINTED.replace("MFlops/s", "MFlop"))


def test_the_best_stretch_is_not_the_best_sample() -> None:
    disturbed = (*(1.0,) * (BLOCKS - 1), 9.0)
    quiet = (2.0,) * BLOCKS
    assert best_mean((*disturbed, *quiet)) == pytest.approx((BLOCKS + 8) / BLOCKS)
    with pytest.raises(ValueError, match="39 samples"):
        best_mean(quiet[1:])


def test_rows_are_versus_the_peer_and_versus_the_clock() -> None:
    def none(_round: int) -> dict[str, float]:
        return {}

    pair = Pair("256-bit", "double", 2, Contender("ours", none), Contender("likwid x, 2", none))
    rounds = range(5)
    results = {
        "ours": {
            "best mean": {n: 99e9 + n for n in rounds},
            "usual": {n: 90e9 + n for n in rounds},
            "limit": dict.fromkeys(rounds, 100000000000.0),
        },
        "likwid x, 2": {"best mean": dict.fromkeys(rounds, 95000000000.0)},
    }
    peer, limit = pair_rows(pair, RoundResults(results, {}, 5), at_least(0.95))
    assert peer.verdict is TargetVerdict.PASS
    assert limit.verdict is TargetVerdict.MISSED
    assert "likwid x" in peer.what and "2 threads" in peer.what
