"""Caveats say what happened and what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import LaunchOutcome, Toolchain, Verdict
from machmeter.model.results.caveat import Caveat, CaveatKind, gravest_first
from machmeter.model.results.curves import LastCache
from machmeter.model.results.run import Plan, ReferenceDrift, Skipped
from machmeter.run.results.caveats import (
    cache_caveats,
    few_launches_caveats,
    one_host_caveats,
    one_machine_caveats,
    run_caveats,
)
from machmeter.text.runs import caveat_text
from tests.support.fake_launcher import PRECISION, small_spec, synthetic_machine

SPEC = small_spec()
GOOD = Verdict.ACCEPTED
SOLVER = Command(("./solver",), "/", 60.0)


def outcomes(*verdicts: Verdict, reason: str = "signal 11") -> list[LaunchOutcome]:
    return [
        LaunchOutcome(
            number, SPEC.name, verdict, () if verdict is GOOD else (reason,), (), 0, "", 1.0
        )
        for number, verdict in enumerate(verdicts, 1)
    ]


def warned(found: list[LaunchOutcome]) -> str:
    plan = Plan((SPEC,), PRECISION)
    every = run_caveats(synthetic_machine(), plan, found, (), ())
    return "\n".join(map(caveat_text, (*every, *few_launches_caveats(plan, found))))


def test_a_failed_launch_names_the_file_that_holds_its_words() -> None:
    said = warned(outcomes(GOOD, Verdict.FAILED, GOOD))
    assert "signal 11" in said
    assert "launches/00002*" in said
    assert "Given up" not in said


def test_what_was_given_up_is_told() -> None:
    assert "Given up: small" in warned(outcomes(*[Verdict.FAILED] * 3))
    assert "Given up: small" in warned(outcomes(*[Verdict.TIMED_OUT] * 2))
    interrupted = [replace(o, interrupted=True) for o in outcomes(*[Verdict.FAILED] * 3)]
    assert "Given up" not in warned(interrupted)


def failures_of(words: Sequence[str], command: Command | None) -> list[Caveat]:
    """Of as many layouts, whose launches all failed with these last words."""
    specs = [replace(SPEC, name=f"layout {n}", command=command) for n in range(len(words))]
    failed = [
        replace(one, spec=spec.name, reasons=("exit code 1", f"it said: {said}"))
        for spec, said in zip(specs, words, strict=True)
        for one in outcomes(*[Verdict.FAILED] * 3)
    ]
    plan = Plan(tuple(specs), PRECISION)
    return list(run_caveats(synthetic_machine(), plan, failed, (), ()))


@pytest.mark.parametrize("words", [["no input"] * 3, [f"process {n}" for n in range(5)]])
def test_a_program_that_fails_under_every_layout_is_told_once(words: list[str]) -> None:
    told, given_up = failures_of(words, SOLVER)
    others = len(words) - 1
    assert told.kind is CaveatKind.FAILED_LAUNCHES
    assert f"{3 * len(words)} launches failed: layout 0 and {others} other layouts" in told.text
    assert f"it said: {words[0]}" in told.text
    assert given_up.kind is CaveatKind.GIVEN_UP
    assert f"layout 0 and {others} other layouts" in given_up.text


def test_what_a_program_fails_of_is_told_once_for_each_cause() -> None:
    first, second, given_up = failures_of(["no input", "out of memory", "no input"], SOLVER)
    assert "6 launches failed: layout 0 and 1 other layout: " in first.text
    assert "it said: no input" in first.text
    assert "3 launches failed: layout 1: " in second.text
    assert "it said: out of memory" in second.text
    assert given_up.kind is CaveatKind.GIVEN_UP


def test_programs_that_fail_alike_are_told_one_by_one() -> None:
    specs = [
        replace(SPEC, name=f"{program} {ranks}", benchmark=program, command=SOLVER)
        for program in ("app.one", "app.two")
        for ranks in (1, 2)
    ]
    failed = [
        replace(one, spec=spec.name)
        for spec in specs
        for one in outcomes(*[Verdict.FAILED] * 3, reason="exit code 1")
    ]
    plan = Plan(tuple(specs), PRECISION)
    found = [one.text for one in run_caveats(synthetic_machine(), plan, failed, (), ())]
    assert [text.partition(" and 1 other layout: ")[0] for text in found] == [
        "6 launches failed: app.one 1",
        "6 launches failed: app.two 1",
        "given up: app.one 1",
        "given up: app.two 1",
    ]


def test_our_own_benchmarks_are_given_up_one_by_one() -> None:
    found = [one for one in failures_of(["a", "b"], None) if one.kind is CaveatKind.GIVEN_UP]
    assert [one.text.split(":")[1].strip() for one in found] == ["layout 0", "layout 1"]


def test_too_few_launches_are_said_with_the_budget_that_suffices() -> None:
    least = PRECISION.least_launches
    assert "Too few launches" not in warned(outcomes(*[GOOD] * least))
    few = warned(outcomes(*[GOOD] * (least - 1)))
    assert f"Too few launches: {least - 1} for the only layout, {least} needed" in few
    # Launches of 1 s each, with a margin, rounded up to a step of 10 s.
    assert f"--budget {math.ceil(least * 1.1 / 10) * 10}s" in few
    broken = warned(outcomes(GOOD, GOOD, *[Verdict.FAILED] * 3))
    assert "Given up" in broken
    assert "--budget" not in broken


def test_what_dropped_out_of_a_race_has_launches_enough() -> None:
    plan = Plan((SPEC,), PRECISION)
    assert few_launches_caveats(plan, outcomes(GOOD))
    assert few_launches_caveats(plan, outcomes(GOOD), {SPEC.name}) == []


def test_ranks_on_one_host_measure_no_network() -> None:
    (caveat,) = one_host_caveats(("n1", "n1"))
    assert "not a network" in caveat.text
    (requested,) = one_host_caveats(("n1", "n1"), ("n1", "n2"))
    assert requested.remedy == ""
    assert one_host_caveats(("n1", "n2")) == []
    assert one_host_caveats(("n1",)) == []


def test_nodes_that_were_one_machine_are_named() -> None:
    (caveat,) = one_machine_caveats(("n1", "n2", "n3", "n4"))
    assert caveat.text.startswith("nodes n1, n2, n3 and 1 more were one machine (--one-machine)")
    assert one_machine_caveats(()) == []


def test_stolen_time_is_said_where_it_counts() -> None:
    machine = synthetic_machine()
    guest = replace(machine, software=replace(machine.software, hypervisor="KVM"))
    plan = Plan((SPEC,), PRECISION)
    (stolen,) = run_caveats(guest, plan, (), (), (), steal={"a": 0.025, "b": 0.0})
    assert "took 2.5 % of CPU time" in stolen.text
    (quiet,) = run_caveats(guest, plan, (), (), (), steal={"a": 0.001})
    assert "took" not in quiet.text


def test_what_lacks_for_one_reason_is_said_once() -> None:
    skipped = tuple(Skipped(f"layout {n}", "the huge-page pool is empty") for n in range(5))
    (caveat,) = run_caveats(synthetic_machine(), Plan((), PRECISION, skipped), (), (), ())
    assert caveat.text == (
        "not measured: layout 0, layout 1, layout 2 and 2 more: the huge-page pool is empty"
    )


@pytest.mark.parametrize("source", ["", "memory.max", "memory.high", "Mems_allowed"])
def test_a_limit_of_memory_has_a_source_and_a_remedy(source: str) -> None:
    machine = synthetic_machine()
    memory = replace(machine.memory, limit_bytes=2**30, limit_source=source)
    (said,) = run_caveats(replace(machine, memory=memory), Plan((SPEC,), PRECISION), (), (), ())
    assert said.text == f"memory is limited to 1 GiB by {source or 'memory.max'}"
    assert (source or "memory.max") in said.remedy


def test_a_cache_unlike_its_description_is_told() -> None:
    mib = 2**20
    (said,) = cache_caveats(LastCache(32 * mib, 4 * mib, 3 * mib, 8 * mib, 32 * mib))
    assert said.kind is CaveatKind.CACHE
    assert all(size in said.text for size in ("32 MiB", "4 MiB", "3 MiB to 8 MiB"))
    for described, measured in ((32, 8), (8, 32), (32, 0), (0, 8)):
        assert cache_caveats(LastCache(described, measured, measured, measured, 32)) == ()


def test_launches_of_two_builds_are_told() -> None:
    node = Toolchain("g++ 12", "-O3", "aa")
    mpi = replace(node, mpi_library="MPICH 5")

    def said(**toolchains: tuple[Toolchain, ...]) -> str:
        plan = Plan((SPEC,), PRECISION)
        builds = [(program, one) for program, several in toolchains.items() for one in several]
        return " ".join(
            one.text for one in run_caveats(synthetic_machine(), plan, (), (), (), builds)
        )

    assert said(node=(node,), mpi=(mpi,)) == ""
    assert said(mpich=(mpi,), openmpi=(replace(mpi, mpi_library="Open MPI 5"),)) == ""
    assert "g++ 13" in said(node=(node, replace(node, compiler="g++ 13")), mpi=(mpi,))
    assert "MPICH 6" in said(node=(node,), mpi=(mpi, replace(mpi, mpi_library="MPICH 6")))


def test_the_gravest_come_first() -> None:
    plan = Plan((SPEC,), PRECISION, skipped=(Skipped("network", "there is no MPI"),))
    drift = ReferenceDrift("memory", 1.0, 1.5, 1.5, 1.4, 1.6)
    launched = outcomes(*[GOOD] * 2)
    found = run_caveats(synthetic_machine(), plan, launched, (drift,), ())
    found = (*found, *few_launches_caveats(plan, launched))
    kinds = [one.kind for one in gravest_first((*reversed(found), *one_host_caveats("aa")))]
    assert kinds == [
        CaveatKind.FEW_LAUNCHES,
        CaveatKind.DRIFT,
        CaveatKind.ONE_HOST,
        CaveatKind.NOT_MEASURED,
    ]


def test_contended_launches_of_older_runs_are_stated_together() -> None:
    """Each has a share of its own, and no word of who disturbed it but that."""
    shares = [f"other processes took {n} % of the time of its CPUs" for n in (12, 15, 31)]
    old = [
        replace(one, reasons=(share,))
        for one, share in zip(outcomes(*[Verdict.CONTENDED] * 3), shares, strict=True)
    ]
    plan = Plan((SPEC,), PRECISION)
    found = run_caveats(synthetic_machine(), plan, old, (), ())
    (one,) = [one for one in found if one.kind is CaveatKind.FAILED_LAUNCHES]
    assert "3 launches contended" in one.text
    assert shares[0] in one.text
