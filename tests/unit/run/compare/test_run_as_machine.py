"""A run as a machine that is compared: its facts, and where its data and places lie."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.point import make_point
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.curves import LastCache
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.run import RunResult
from machmeter.model.variant import Variant
from machmeter.run.compare.run_as_machine import of_library, run_as_machine, runs_as_machine
from tests.support.synthetic.run import make_run

RUN = make_run()


def renamed(result: RunResult, run: str) -> RunResult:
    return replace(result, header=replace(result.header, id=run))


def places_of(result: RunResult, benchmark: str) -> dict[object, MemoryLevel | None]:
    found = run_as_machine(result).estimates
    return {e.point.get("size"): e.memory_level for e in found if e.point.benchmark == benchmark}


def test_a_run_says_who_it_is_and_how_to_do_it_again() -> None:
    known = run_as_machine(RUN)
    assert known.origin is Origin.MEASURED
    assert known.runs == (known.id,) == (RUN.header.id,)
    assert known.command == "machmeter run quick --seed 7"
    assert known.year == 2026
    assert known.parts.cores == 2
    assert known.parts.nodes == 1
    assert known.properties["compiler"].startswith("g++")
    assert known.properties["date"] == "2026-11-20 10:00 UTC"
    assert len(known.estimates) == len(RUN.estimates)


def test_figures_say_whether_their_data_are_in_memory() -> None:
    last = RUN.last_cache.size
    found = places_of(RUN, "memory.latency")
    assert {size for size, where in found.items() if where == MemoryLevel.CACHES} == {
        size for size in found if isinstance(size, int) and size <= last
    }
    assert {size for size, where in found.items() if where == MemoryLevel.MEMORY} == {
        size for size in found if isinstance(size, int) and size >= 2 * last
    }
    assert MemoryLevel.MEMORY in places_of(RUN, "memory.stream").values()


def test_what_the_cache_holds_as_described_and_not_as_measured_is_in_neither() -> None:
    mib = 2**20
    cache = LastCache(described=8 * mib, measured=2 * mib, low=mib, high=4 * mib, size=8 * mib)
    found = places_of(replace(RUN, last_cache=cache), "memory.latency")
    sizes = [size for size in found if isinstance(size, int)]
    assert {s for s in sizes if found[s] is MemoryLevel.CACHES} == {s for s in sizes if s <= mib}
    beyond = {s for s in sizes if s >= 16 * mib}
    assert {s for s in sizes if found[s] is MemoryLevel.MEMORY} == beyond


def test_pairs_of_cpus_say_what_they_share() -> None:
    layout = Layout(threads_per_rank=2)
    point = make_point("memory.pages", {"pair": "0-1", "visit": "read", "size": 8192}, layout)
    own = make_point("memory.pages", {"pair": "0-0", "visit": "read", "size": 8192}, layout)
    figures = tuple(replace(RUN.estimates[0], point=one) for one in (point, own))
    apart, same = run_as_machine(replace(RUN, estimates=figures)).estimates
    assert same.pair_relation == "same CPU"
    assert apart.pair_relation not in (None, "same CPU")


def test_runs_of_one_machine_are_taken_together() -> None:
    known = runs_as_machine([RUN, renamed(RUN, "another")])
    assert known.id == f"{RUN.header.id}+another"
    assert known.runs == (RUN.header.id, "another")
    assert known.estimates[0].launches == 2 * RUN.estimates[0].launches
    assert runs_as_machine([RUN]) == run_as_machine(RUN)


def test_runs_of_two_machines_or_two_builds_are_not() -> None:
    other = make_run(host="node18")
    with pytest.raises(UsageError, match=r"host 'node17' against 'node18'") as caught:
        runs_as_machine([RUN, renamed(other, "other")])
    assert "machmeter compare" in caught.value.remedy
    assert RUN.toolchain is not None
    built = replace(RUN, toolchain=replace(RUN.toolchain, flags="-O2"))
    with pytest.raises(UsageError, match="flags"):
        runs_as_machine([RUN, renamed(built, "other")])
    first, *others = RUN.estimates
    by_openmpi = replace(RUN, estimates=(replace(first, mpi_library="Open MPI v4.1.4"), *others))
    by_mpich = replace(RUN, estimates=(replace(first, mpi_library="MPICH 5.0.2"), *others))
    with pytest.raises(UsageError, match=r"MPI library 'MPICH 5\.0\.2' against 'Open MPI"):
        runs_as_machine([by_mpich, renamed(by_openmpi, "other")])


def test_one_library_of_a_run_stands_for_itself() -> None:
    def by(library: str, one: Estimate) -> Estimate:
        return replace(one, point=replace(one.point, variant=Variant(library)))

    figures = (by("mpich", RUN.estimates[0]), by("openmpi", RUN.estimates[0]))
    known = run_as_machine(replace(RUN, estimates=figures))
    one, other = of_library(known, "mpich"), of_library(known, "openmpi")
    assert one.id == f"{known.id}@mpich"
    assert one.estimates[0].point == other.estimates[0].point
    assert one.runs == other.runs == known.runs
    with pytest.raises(UsageError, match="no MPI library 'cray'"):
        of_library(known, "cray")


def test_runs_together_have_the_caveats_of_each_once() -> None:
    drift = Caveat(CaveatKind.DRIFT, "it drifted")
    few = Caveat(CaveatKind.FEW_LAUNCHES, "two launches")
    runs = [
        replace(RUN, caveats=(drift,)),
        replace(renamed(RUN, "another"), caveats=(drift, few)),
    ]
    found = runs_as_machine(runs).caveats
    assert [one.text for one in found] == ["two launches (1 of 2 runs)", "it drifted (2 of 2 runs)"]
