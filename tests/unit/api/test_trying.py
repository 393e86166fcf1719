"""Lines to copy that were started once: what is not as their layout says."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.api.programs.trying import problems_of
from machmeter.launch.process import ProcessResult
from machmeter.layout.assign import assign
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, Record
from machmeter.store.records import parse_record
from tests.support.fake_launcher import record_lines, small_spec
from tests.support.observed_ranks import observed_rank
from tests.support.sysfs_tree import Shape

TOPOLOGY = Shape(packages=1, domains=1, cores=4, smt=1).topology()
ENDED = ProcessResult(0, 1.0, False, "")
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
    problems = problems_of(launch, TOPOLOGY, record_of(launch, *cpus), ENDED)
    assert words in " ".join(problems)
    assert bool(problems) is bool(words)


def test_what_does_not_start_is_a_problem() -> None:
    nothing, failed = Record(None, (), None), ProcessResult(127, 0.1, False, "")
    (problem,) = problems_of(launch_in(Layout()), TOPOLOGY, nothing, failed)
    assert "exit code 127" in problem
    hung = ProcessResult(-15, 30.0, True, "")
    (problem,) = problems_of(launch_in(Layout()), TOPOLOGY, nothing, hung)
    assert "did not end within 30 s" in problem


def test_all_hardware_threads_of_the_cores_are_as_requested() -> None:
    """Open MPI binds to cores."""
    two_each = Shape(packages=1, domains=1, cores=2, smt=2).topology()
    layout = Layout(threads_per_rank=1)
    spec = replace(small_spec(layout=layout), command=Command(("/opt/a",), "/", 60.0))
    launch = Launch(1, spec, 1, assign(layout, two_each))
    (own,) = launch.assignment.cpus[0][0]
    core = {one.number: one.core for one in two_each.cpus}
    both = tuple(number for number, of in core.items() if of == core[own])
    assert len(both) == 2
    assert problems_of(launch, two_each, record_of(launch, both), ENDED) == ()
    every = tuple(core)
    assert problems_of(launch, two_each, record_of(launch, every), ENDED)
