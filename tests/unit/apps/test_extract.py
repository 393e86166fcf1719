"""Numbers in the output of programs: which match counts, what is a number, and in what time."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.apps.extract import PatternError, check_pattern, read_output, reading
from machmeter.model.plan.description import (
    Description,
    Echo,
    EchoOf,
    Figure,
    OutputReadings,
    Take,
)

OUTPUT = "x = 3\nx = 1 x = 7\r\ny = 5\nx = 2\n"


@pytest.mark.parametrize(
    ("take", "value"),
    [(Take.FIRST, 3), (Take.LAST, 2), (Take.LEAST, 1), (Take.LARGEST, 3), (Take.SUM, 6)],
)
def test_one_match_of_each_line_counts(take: Take, value: float) -> None:
    assert reading(OUTPUT, r"x = (\d+)", take).value == value


def test_anchors_match_at_lines() -> None:
    assert reading(OUTPUT, r"^y = (\d+)$", Take.FIRST).value == 5
    assert reading(OUTPUT, r"x = (\d+)$", Take.LARGEST).value == 7


@pytest.mark.parametrize("take", [Take.FIRST, Take.LAST])
def test_a_pattern_covers_as_many_lines_as_it_says(take: Take) -> None:
    table = "Step Energy\n---\n1 2.5\nend\n"
    assert reading(table, r"Energy\n-+\n\d+ (\S+)", take).value == 2.5
    assert reading(table, r"Energy\s+-+\s+\d+ (\S+)", take).value is None


def test_a_group_may_be_named() -> None:
    assert reading("ab 4", r"(a|b)+ (?P<value>\d)", Take.LAST).value == 4


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1.5", 1.5),
        ("-4.6e-3", -4.6e-3),
        ("+7", 7.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1.5D+03", 1500.0),
        ("1.5d-2", 0.015),
    ],
)
def test_numbers_as_programs_print_them(written: str, value: float) -> None:
    assert reading(f"x {written}", r"x (\S+)", Take.LAST).value == value


@pytest.mark.parametrize(
    "written",
    ["1,234.5", "1_000", "0x10", "١", "1e", "***", "1.5.2", "9" * 400, "nan", "-Inf", "1e999"],
)
@pytest.mark.parametrize("take", list(Take))
def test_what_is_no_finite_number_is_a_problem(written: str, take: Take) -> None:
    found = reading(f"x {written}", r"x (\S+)", take)
    assert found.value is None
    assert found.problem


def test_kinds_of_problems_differ() -> None:
    problems = {reading(f"x {one}", r"x (\w+)", Take.LAST).problem for one in ("a", "nan", "-")}
    assert len(problems) == 3


def test_extremes_and_sums_need_every_match_to_be_a_number() -> None:
    for take in (Take.LEAST, Take.SUM):
        assert reading("x 1\nx nan\n", r"x (\S+)", take).value is None
    assert reading("x 1e308\nx 1e308\n", r"x (\S+)", Take.SUM).value is None
    assert reading("x nan\nx 1\n", r"x (\S+)", Take.LAST).value == 1


def test_a_group_that_takes_no_part_is_no_number() -> None:
    assert reading("x", r"x|(\d)", Take.LAST).value is None


@pytest.mark.parametrize(
    "pattern",
    ["x", "(a)(b)", "(a", r"(a)\1", "(?=a)(b)", "(((a{50}){10}){2})", "(\ud800)", "((a{100}){10})"],
)
def test_patterns_that_cannot_be_used(pattern: str) -> None:
    with pytest.raises(PatternError):
        check_pattern(pattern)


@given(st.text(), st.sampled_from(Take), st.sampled_from([r"(.*)", r"(\S+)", r"^(.)\n", r"()"]))
def test_any_text_gives_a_finite_number_or_a_problem(text: str, take: Take, pattern: str) -> None:
    found = reading(text, pattern, take)
    assert (found.value is None) is bool(found.problem)
    assert found.value is None or math.isfinite(found.value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back(value: float) -> None:
    assert reading(f"value: {value!r}\n", r"value: (\S+)", Take.LAST).value == value


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(a+)+$", "a" * 200_000 + "b"),
        # Each match would look at the rest of the text for its b.
        (r"(a)(?:.*b)?", "a" * 200_000),
        (r"(x+x+)+y", "\n".join(["x" * 100] * 5_000)),
    ],
    ids=["nested", "square", "lines"],
)
@pytest.mark.parametrize("take", list(Take))
def test_a_costly_pattern_takes_no_more_time_than_the_text_is_long(
    pattern: str, text: str, take: Take
) -> None:
    begin = time.process_time()
    reading(text, pattern, take)
    assert time.process_time() - begin < 5


DESCRIBED = Description(
    name="a",
    title="A",
    command=("a",),
    figures=(
        Figure(name="rate", unit="GB/s", better="higher", pattern=r"rate (\S+)", factor=1e-3),
        Figure(name="time", unit="s", better="lower", pattern=r"time (\S+)", file="log"),
    ),
    echoes=(Echo(what=EchoOf.RANKS, pattern=r"on (\d+)"),),
)


def test_an_output_is_read_by_names_and_files() -> None:
    texts = {"": "rate 5000 on 2\ntime 9", "log": "time 3"}
    assert read_output(DESCRIBED, texts) == OutputReadings({"ranks": 2, "rate": 5, "time": 3})


@pytest.mark.parametrize("rate", ["0", "-1", "1e308 on 1\nrate -0", "x"])
def test_what_cannot_be_read_is_a_problem_of_its_name(rate: str) -> None:
    found = read_output(DESCRIBED, {"": f"on 1\nrate {rate}"})
    assert found.values == {"ranks": 1}
    assert set(found.problems) == {"rate", "time"}


@pytest.mark.parametrize(
    ("output", "values", "problems"),
    [
        ("rate 5\nwait 2", {"rate": 5, "wait": 2}, set()),
        ("rate 5", {"rate": 5}, set()),
        # It is there, and cannot be used.
        ("rate 5\nwait x", {"rate": 5}, {"wait"}),
        ("rate 5\nwait -1", {"rate": 5}, {"wait"}),
        # A time that is none.
        ("rate 5\nwait 0", {"rate": 5}, set()),
        ("wait 2", {"wait": 2}, {"rate"}),
    ],
)
def test_only_what_is_optional_may_be_missing(
    output: str, values: dict[str, float], problems: set[str]
) -> None:
    figures = (
        Figure(name="rate", unit="GB/s", better="higher", pattern=r"rate (\S+)"),
        Figure(name="wait", unit="s", better="lower", pattern=r"wait (\S+)", optional=True),
    )
    found = read_output(replace(DESCRIBED, figures=figures, echoes=()), {"": output})
    assert found.values == values
    assert set(found.problems) == problems
