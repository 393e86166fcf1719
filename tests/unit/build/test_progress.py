"""How far a build is, from what the build tool prints."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.build.process import run_tool
from machmeter.build.programs import _tool
from machmeter.build.progress import (
    NINJA_STATUS,
    BuildsAtOnce,
    BuildStep,
    BuildWatch,
    expected_seconds,
)

TEN_STEPS = """
rule copy
  command = cp $in $out
"""


def test_each_step_of_a_real_build_is_told_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("")
    steps = "".join(f"build {n + 1}: copy {n}\n" for n in range(10))
    (tmp_path / "build.ninja").write_text(TEN_STEPS + steps)
    told: list[BuildStep] = []
    run_tool(
        [_tool("ninja", {})],
        doing="building",
        remedy="",
        timeout=60,
        environment={"PATH": "/usr/bin:/bin", "NINJA_STATUS": NINJA_STATUS},
        folder=tmp_path,
        listener=BuildWatch(told.append),
    )
    assert [step.done for step in told] == list(range(11))
    assert {step.steps for step in told[1:]} == {10}
    assert [step.over for step in told] == [False] * 10 + [True]
    assert told[0].left < 0
    assert all(a.elapsed <= b.elapsed for a, b in pairwise(told))
    assert all(step.left < 0 for step in told[:4])
    assert 0 < told[5].left < told[5].elapsed * 5 / 4
    assert told[-1].left == 0


def test_time_left_is_that_of_steps_and_not_of_configuring() -> None:
    """A minute of configuring, then a second a step; nothing is said of it before 10 %."""
    times = iter([0.0, *(60.0 + step for step in range(1, 51))])
    told: list[BuildStep] = []
    watch = BuildWatch(told.append, lambda: next(times))
    for done in range(1, 51):
        watch(f"[{done}/50] compiling")
    assert [step.done for step in told if step.left < 0] == [0, 1, 2, 3, 4, 5]
    assert [step.left for step in told[6:]] == pytest.approx(list(range(44, -1, -1)))
    assert told[-1].elapsed == 110.0


@given(line=st.text())
def test_other_words_are_no_steps(line: str) -> None:
    told: list[BuildStep] = []
    watch = BuildWatch(told.append)
    watch(f"-- {line}")
    watch("[12] of 13")
    assert len(told) == 1


def test_builds_at_once_are_shown_as_one() -> None:
    told: list[BuildStep] = []
    together = BuildsAtOnce(told.append, 3)
    with together.build(0) as first:
        first(BuildStep(0, 0, 0.0, -1.0))
        with together.build(1) as second:
            # One line alone for the checks of all compilers.
            second(BuildStep(0, 0, 0.0, -1.0))
            assert told == [BuildStep(0, 0, 0.0, -1.0)]
            first(BuildStep(5, 10, 3.0, 4.0))
            second(BuildStep(2, 4, 2.0, 6.0))
            assert told[-1] == BuildStep(7, 14, 3.0, 6.0)
            second(BuildStep(4, 4, 5.0, 0.0))
        first(BuildStep(10, 10, 6.0, 0.0))
        assert not told[-1].over
    # Nothing has to be done for the third.
    with together.build(2):
        assert not told[-1].over
    assert told[-1] == BuildStep(14, 14, 6.0, 0.0)


def test_nothing_is_told_where_no_build_has_anything_to_do() -> None:
    told: list[BuildStep] = []
    with BuildsAtOnce(told.append, 1).build(0):
        pass
    assert told == []


def test_compiling_takes_as_long_as_its_files_on_the_cpus_there_are() -> None:
    """Of two kernels, one program: these, its `main`, its hashes, what is shared, the wrapper."""
    on_one = expected_seconds(2, 1, 1)
    configuring = expected_seconds(2, 1, 1) - 6 * (expected_seconds(3, 1, 1) - on_one)
    assert 0 < configuring < on_one
    assert expected_seconds(2, 1, 2) == pytest.approx((on_one + configuring) / 2)
    assert expected_seconds(2, 1, 128) == expected_seconds(2, 1, 6)
    # A CPU limit of half a core.
    assert expected_seconds(2, 1, 0.5) == pytest.approx(2 * on_one - configuring)
