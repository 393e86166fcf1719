"""What is shown while machmeter compiles and measures."""

from __future__ import annotations

import io
import math

import pytest
from msgspec.structs import replace
from rich.console import Console

from machmeter.build.progress import BuildStep
from machmeter.cli.printing.progress import build_line, build_shown, progress_shown
from machmeter.run.measuring.progress import RunProgress

STEPS = (BuildStep(0, 0, 0.0, -1.0), BuildStep(5, 31, 10.0, 52.0), BuildStep(31, 31, 60.0, 0.0))
PROGRESS = RunProgress("measuring", "a", 4, 0.5, 20.0, 40.0)


def shown(*, terminal: bool, width: int = 100) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=terminal, color_system=None)
    listener = build_shown(console, quiet=False)
    for step in STEPS:
        listener(step)
    return stream.getvalue()


def test_a_log_has_steps_and_time_left() -> None:
    assert shown(terminal=False) == "compiling: 5 of 31 steps, about 52 s left\n"


@pytest.mark.parametrize("width", [20, 60, 100])
def test_a_terminal_has_one_line_that_is_cleared(width: int) -> None:
    text = shown(terminal=True, width=width)
    assert text.count("\n") == 2
    assert "5 of 31"[: width - 11] in text
    assert text.endswith("\x1b[1A\x1b[2K")


def test_before_the_first_step_no_time_is_promised() -> None:
    assert build_line(STEPS[0]) == "compiling: checking the compiler"
    assert "left" not in build_line(BuildStep(0, 31, 1.0, -1.0))


def test_json_is_not_disturbed() -> None:
    stream = io.StringIO()
    build_shown(Console(file=stream), quiet=True)(STEPS[1])
    assert stream.getvalue() == ""


def test_a_time_that_may_be_shorter_is_an_upper_bound() -> None:
    stream = io.StringIO()
    with progress_shown(Console(file=stream, width=200), quiet=False) as listener:
        listener(replace(PROGRESS, at_most=True))
    assert stream.getvalue().startswith("measuring: launch 5, at most 40 s left; median precision")


@pytest.mark.parametrize(
    ("over", "said"),
    [
        (0.0, "about 40 s left"),
        (15.0, "about 40 s left, 15 s beyond the budget: the first"),
    ],
)
def test_what_lies_beyond_the_budget_is_told(over: float, said: str) -> None:
    stream = io.StringIO()
    with progress_shown(Console(file=stream, width=200), quiet=False) as listener:
        listener(replace(PROGRESS, over=over))
    assert said in stream.getvalue()
    assert ("beyond" in stream.getvalue()) == bool(over)


def test_a_log_line_says_what_is_left_and_how_precise_it_is_so_far() -> None:
    stream = io.StringIO()
    with progress_shown(Console(file=stream, width=200), quiet=False) as listener:
        listener(replace(PROGRESS, launches_done=117))
        listener(replace(PROGRESS, phase="sizing", median_precision=math.inf))
    assert stream.getvalue() == (
        "measuring: launch 118, about 40 s left; median precision ±50 %\n"
        "sizing: launch 5, about 40 s left\n"
    )


def test_the_bar_on_a_terminal_is_the_share_of_the_time() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=120, force_terminal=True, color_system=None)
    with progress_shown(console, quiet=False) as listener:
        listener(PROGRESS)
    assert f"{10 * '━'}{20 * '╌'}" in stream.getvalue()
