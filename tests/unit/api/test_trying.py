"""Lines to copy that were started once: what is not as their layout says."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.api.programs.trying import problems_of
from machmeter.layout.assign import assign
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, Record
from machmeter.store.records import parse_record
from tests.support.fake_launcher import record_lines, small_spec
from tests.support.observed_ranks import observed_rank
from tests.support.sysfs_tree import Shape

TOPOLOGY = Shape(packages=1, domains=1, cores=4, smt=1).topology()
BRIEF = replace(observed_rank(), wall_seconds=0.01, user_seconds=0.0, system_seconds=0.0)


def launch_in(layout: Layout) -> Launch:
    spec = replace(small_spec(layout=layout), command=Command(("/opt/a",), "/", 60.0))
    return Launch(1, spec, 1, assign(layout, TOPOLOGY))


def record_of(launch: Launch, *cpus: tuple[int, ...]) -> Record:
    record = parse_record(b"".join(record_lines(launch)))
    return replace(record, observed=tuple(replace(BRIEF, cpus=one) for one in cpus))


@pytest.mark.parametrize(
    ("layout", "cpus", "words"),
    [
        (Layout(threads_per_rank=2), ((0, 1),), ""),
        (Layout(threads_per_rank=2), ((0, 1, 2, 3),), "given"),
        (Layout(threads_per_rank=2), ((1, 2),), "given"),
        (Layout(threads_per_rank=2, binding=Binding.NONE), ((0, 1, 2, 3),), ""),
        (Layout(threads_per_rank=2), ((0, 1), (2, 3)), "ranks: requested 1, observed 2"),
    ],
)
def test_short_programs_show_by_the_cpus_that_they_were_given(
    layout: Layout, cpus: tuple[tuple[int, ...], ...], words: str
) -> None:
    launch = launch_in(layout)
    problems = problems_of(launch, record_of(launch, *cpus), 0)
    assert words in " ".join(problems)
    assert bool(problems) is bool(words)


def test_what_does_not_start_is_a_problem() -> None:
    (problem,) = problems_of(launch_in(Layout()), Record(None, (), None), 127)
    assert "exit code 127" in problem
