"""The catalogue of OpenMP benchmarks holds what the native programs take."""

import re

import pytest

from machmeter.benchmarks.threads import ARRAYS, CONSTRUCTS, SCHEDULE, SYNC
from tests.support.paths import NATIVE

THREADS = NATIVE / "threads"


def quoted_names(program: str, table: str) -> tuple[str, ...]:
    """The names in the table of that name of a native program."""
    text = (THREADS / program).read_text(encoding="utf-8")
    body = re.search(rf"\b{table}\[\] = {{(.*?)\n}};", text, re.DOTALL)
    assert body, f"{program} has no table {table}"
    return tuple(re.findall(r'\{"([\w-]+)",', body.group(1)))


def test_every_construct_has_a_body() -> None:
    assert quoted_names("sync.cpp", "names") == CONSTRUCTS


def test_every_clause_and_schedule_has_a_body() -> None:
    assert quoted_names("arrays.cpp", "clauses") == ARRAYS.parameters[0].choices
    assert quoted_names("schedule.cpp", "schedules") == SCHEDULE.parameters[0].choices


def test_arrays_have_the_sizes_that_are_compiled() -> None:
    text = (THREADS / "arrays.cpp").read_text(encoding="utf-8")
    compiled = tuple(int(size) for size in re.findall(r"case (\d+):", text))
    assert ARRAYS.parameters[1].values == compiled
    assert not any(ARRAYS.parameters[1].refusal(size) for size in compiled)


@pytest.mark.parametrize("size", [0, 16, 513, 262144])
def test_other_sizes_are_refused_with_those_that_there_are(size: int) -> None:
    assert ARRAYS.parameters[1].refusal(size) == "it must be one of 8, 512, 8192, 131072"


def test_auto_takes_no_chunk() -> None:
    skipped = {dict(skip)["chunk"] for skip in SCHEDULE.skips if dict(skip)["schedule"] == "auto"}
    assert skipped == set(SCHEDULE.parameters[1].values) - {0}


def test_overheads_are_paired() -> None:
    for benchmark in (SYNC, ARRAYS, SCHEDULE):
        (metric,) = benchmark.metrics
        assert metric.series == ("test", "reference")
