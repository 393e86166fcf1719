import random

from bench.called import call_different
from machmeter.model.benchmark import Formula
from tests.support.analysis_samples import make_estimate


def test_the_same_values_are_never_called_different() -> None:
    one = make_estimate([1.0, 1.1, 0.9, 1.05])
    for paired in (True, False):
        called = call_different([one], [one], paired=paired)
        assert (called.compared, called.different, called.significant) == (1, 0, 0)
        assert called.share == 0


def test_a_clear_difference_is_called_and_named() -> None:
    slow = make_estimate([2.0, 2.02, 1.98, 2.01])
    fast = make_estimate([1.0, 1.01, 0.99, 1.0])
    called = call_different([slow], [fast], paired=False)
    assert (called.different, called.significant, called.after_holm) == (1, 1, 1)
    assert called.share == called.significant_share == 1
    assert called.names[0].startswith(f"{slow.point.key}: 0.4")


def test_a_difference_within_the_margin_is_significant_but_not_called() -> None:
    a = make_estimate([1.0, 1.0001, 0.9999, 1.0])
    b = make_estimate([1.01, 1.0101, 1.0099, 1.01])
    called = call_different([a], [b], paired=True)
    assert (called.different, called.significant) == (0, 1)


def test_what_is_not_resolved_is_left_out_of_the_count() -> None:
    zero = make_estimate([1e-9, -1e-9, 2e-9, -2e-9], Formula.OVERHEAD)
    called = call_different([zero], [zero], paired=True)
    assert (called.compared, called.left_out) == (0, 1)
    assert called.share == 0


def test_metrics_that_only_one_side_has_are_not_compared() -> None:
    called = call_different([make_estimate([1.0, 1.1])], [], paired=False)
    assert (called.compared, called.left_out) == (0, 0)


def test_about_one_in_twenty_is_significant_where_nothing_differs() -> None:
    source = random.Random(7)
    significant = 0
    trials = 400
    for _ in range(trials):
        a, b = (make_estimate([source.lognormvariate(0, 0.02) for _ in range(10)]) for _ in "ab")
        significant += call_different([a], [b], paired=False).significant
    assert 0.02 <= significant / trials <= 0.09
