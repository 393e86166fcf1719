"""OpenMP runtimes and allocators from one binary: what is asked for runs, and says so itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.build.openmp import resolve_intel_openmp
from machmeter.launch.launcher import ProgramLauncher
from machmeter.launch.libraries import Libraries, linked_runtime
from machmeter.layout.libraries import (
    ALLOCATORS,
    OPENMP_RUNTIMES,
    allocator_named,
    can_serve,
    openmp_runtime_named,
)
from machmeter.machine.libraries import find_allocators, find_openmp_runtimes
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchOutcome, Record, Verdict
from tests.support.processes.native_programs import Programs, launch_of, launcher_of, start

MIB = 2**20


@pytest.fixture(scope="module")
def libraries(cache: Path) -> Libraries:
    """All that this machine has, and Intel's runtime where it can be fetched."""
    runtimes = find_openmp_runtimes()
    try:
        runtimes["libiomp5"] = resolve_intel_openmp(cache, os.environ)
    except MachineLacksError as error:
        print(error.message)
    return Libraries(cache, runtimes, find_allocators())


def run(
    launcher: ProgramLauncher, layout: Layout, folder: Path, benchmark: str, point: dict[str, Value]
) -> tuple[LaunchOutcome, Record]:
    outcome, record = start(launcher, launch_of(benchmark, [point], layout), folder)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert all(point.check.passed for point in record.points)
    assert record.header is not None
    return outcome, record


@pytest.mark.parametrize("runtime", OPENMP_RUNTIMES)
def test_the_runtime_asked_for_runs_the_same_binary(
    runtime: str, libraries: Libraries, programs: Programs, tmp_path: Path
) -> None:
    launcher = launcher_of(programs, None, os.environ, libraries)
    linked = linked_runtime(programs.path(NODE_PROGRAM), os.environ)
    if runtime not in libraries.openmp_runtimes or not can_serve(runtime, linked):
        pytest.skip(f"this machine has no {runtime} that serves programs linked with {linked}")
    layout = Layout(openmp=runtime, page_bytes=os.sysconf("SC_PAGE_SIZE"))
    _, record = run(launcher, layout, tmp_path, "threads.sync", {"construct": "barrier"})
    assert record.header is not None
    assert openmp_runtime_named(record.header.libraries["openmp"]) == runtime
    assert record.points[0].attributes["runtime"] == record.header.libraries["openmp"]


@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_the_allocator_asked_for_serves_malloc(
    allocator: str, libraries: Libraries, programs: Programs, tmp_path: Path
) -> None:
    if allocator not in libraries.allocators:
        pytest.skip(f"this machine has no {allocator}")
    # What the caller preloads must not count.
    caller = {**os.environ, "LD_PRELOAD": next(reversed(libraries.allocators.values()))}
    launcher = launcher_of(programs, None, caller, libraries)
    layout = Layout(allocator=allocator, page_bytes=os.sysconf("SC_PAGE_SIZE"))
    point: dict[str, Value] = {"way": "malloc-loop", "pages": "base", "size": 8 * MIB}
    _, record = run(launcher, layout, tmp_path, "memory.allocation", point)
    assert record.header is not None
    assert allocator_named(record.header.libraries["allocator"]) == allocator
    assert record.points[0].attributes["allocator"] == record.header.libraries["allocator"]


def test_a_library_that_is_not_what_its_name_says_is_rejected(
    libraries: Libraries, programs: Programs, tmp_path: Path
) -> None:
    others = [name for name in libraries.allocators if name != "glibc"]
    if not others:
        pytest.skip("this machine has no other allocator")
    disguised = replace(libraries, allocators={"made-up": libraries.allocators[others[0]]})
    launcher = launcher_of(programs, None, os.environ, disguised)
    layout = Layout(allocator="made-up", page_bytes=os.sysconf("SC_PAGE_SIZE"))
    launch = launch_of("memory.latency", [{"size": 4096}], layout)
    outcome, _ = start(launcher, launch, tmp_path)
    assert outcome.verdict is Verdict.REJECTED
    assert "allocator: requested made-up, observed lib" in outcome.reasons[0]
