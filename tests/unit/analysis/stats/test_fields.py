"""Results by parameters and layout fields, by name."""

from __future__ import annotations

from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.model.layout import Binding, Layout
from machmeter.model.results.estimate import Estimate
from tests.support.made_up.estimates import made_up


def result(size: int | None, threads: int, binding: Binding = Binding.CLOSE) -> Estimate:
    layout = Layout(threads_per_rank=threads, binding=binding)
    sized = {} if size is None else {"size": size}
    return made_up("memory.stream", {"kernel": "triad", **sized}, layout, "stream_bandwidth", 1e9)


SMALL, LARGE = result(8, 2), result(4096, 2)
WIDE, UNSIZED = result(8, 16, Binding.SPREAD), result(None, 1)
EVERY = (SMALL, LARGE, WIDE, UNSIZED)


def test_a_name_is_that_of_a_parameter_or_of_a_field() -> None:
    assert where(EVERY, "size", 8) == (SMALL, WIDE)
    assert where(EVERY, "threads", 1, 16) == (WIDE, UNSIZED)
    assert where(EVERY, "binding", Binding.SPREAD) == (WIDE,)
    assert where(EVERY, "nothing", "") == EVERY
    assert value_of(UNSIZED, "size") == ""


def test_the_extreme_is_of_those_that_have_a_number() -> None:
    assert extreme(EVERY, "size") == (LARGE,)
    assert extreme(EVERY, "size", min) == (SMALL, WIDE)
    assert extreme(EVERY, "threads") == (WIDE,)
    assert extreme((UNSIZED,), "size") == (UNSIZED,)
    assert extreme(EVERY, "kernel") == EVERY
    assert extreme((), "size") == ()
