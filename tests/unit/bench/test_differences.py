import random

from bench.differences import count_differences
from machmeter.model.benchmark import Formula
from tests.support.made_up.samples import make_estimate


def test_the_same_values_never_differ() -> None:
    one = make_estimate([1.0, 1.1, 0.9, 1.05])
    for paired in (True, False):
        counts = count_differences([one], [one], paired=paired)
        assert (counts.compared, counts.different, counts.significant) == (1, 0, 0)
        assert counts.share == 0


def test_a_clear_difference_is_counted_and_named() -> None:
    slow = make_estimate([2.0, 2.02, 1.98, 2.01])
    fast = make_estimate([1.0, 1.01, 0.99, 1.0])
    counts = count_differences([slow], [fast], paired=False)
    assert (counts.different, counts.significant, counts.after_holm) == (1, 1, 1)
    assert counts.share == counts.significant_share == 1
    assert counts.names[0].startswith(f"{slow.point.key}: 0.4")


def test_a_difference_within_the_margin_is_significant_but_not_counted() -> None:
    a = make_estimate([1.0, 1.0001, 0.9999, 1.0])
    b = make_estimate([1.01, 1.0101, 1.0099, 1.01])
    counts = count_differences([a], [b], paired=True)
    assert (counts.different, counts.significant) == (0, 1)


def test_results_below_resolution_are_skipped() -> None:
    zero = make_estimate([1e-9, -1e-9, 2e-9, -2e-9], Formula.OVERHEAD)
    counts = count_differences([zero], [zero], paired=True)
    assert (counts.compared, counts.skipped) == (0, 1)
    assert counts.share == 0


def test_metrics_of_only_one_are_not_compared() -> None:
    counts = count_differences([make_estimate([1.0, 1.1])], [], paired=False)
    assert (counts.compared, counts.skipped) == (0, 0)


def test_about_one_in_twenty_is_significant_where_nothing_differs() -> None:
    source = random.Random(7)
    significant = 0
    trials = 400
    for _ in range(trials):
        a, b = (make_estimate([source.lognormvariate(0, 0.02) for _ in range(10)]) for _ in "ab")
        significant += count_differences([a], [b], paired=False).significant
    assert 0.02 <= significant / trials <= 0.09
