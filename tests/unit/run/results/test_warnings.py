"""Warnings say what happened and what to do."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.plan.launch import LaunchOutcome, Toolchain, Verdict
from machmeter.model.results.run import Plan, ReferenceDrift, Skipped
from machmeter.run.results.warnings import run_warnings
from tests.support.fake_launcher import PRECISION, filled_estimates, small_spec, synthetic_machine

SPEC = small_spec()
GOOD = Verdict.ACCEPTED


def outcomes(*verdicts: Verdict, reason: str = "signal 11") -> list[LaunchOutcome]:
    return [
        LaunchOutcome(
            number, SPEC.name, verdict, () if verdict is GOOD else (reason,), (), 0, "", 1.0
        )
        for number, verdict in enumerate(verdicts, 1)
    ]


def warned(found: list[LaunchOutcome], *, reached: bool = True) -> str:
    plan = Plan((SPEC,), PRECISION)
    accepted = sum(o.verdict is GOOD for o in found)
    estimates = [replace(e, reached=reached) for e in filled_estimates(SPEC, accepted)]
    return "\n".join(run_warnings(synthetic_machine(), plan, found, estimates, (), ()))


def test_a_failed_launch_names_the_file_that_holds_its_words() -> None:
    said = warned(outcomes(GOOD, Verdict.FAILED, GOOD))
    assert "signal 11" in said
    assert "launches/00002*" in said
    assert "given up" not in said


def test_what_was_given_up_is_told() -> None:
    assert "given up: small" in warned(outcomes(*[Verdict.FAILED] * 3))
    assert "given up: small" in warned(outcomes(*[Verdict.TIMED_OUT] * 2))
    interrupted = [replace(o, interrupted=True) for o in outcomes(*[Verdict.FAILED] * 3)]
    assert "given up" not in warned(interrupted)


def test_more_time_is_advised_only_where_time_was_short() -> None:
    short = warned(outcomes(GOOD, GOOD), reached=False)
    assert "start a new run with a longer --budget" in short
    assert "--max-launches" not in short
    most = warned(outcomes(*[GOOD] * PRECISION.most_launches), reached=False)
    assert "allow more launches with --max-launches" in most
    assert "--budget" not in most
    broken = warned(outcomes(GOOD, GOOD, *[Verdict.FAILED] * 3), reached=False)
    assert "was not reached" in broken
    assert "--budget" not in broken


def test_a_limit_of_memory_has_a_remedy() -> None:
    machine = synthetic_machine()
    machine = replace(machine, memory=replace(machine.memory, limit_bytes=2**30))
    (said,) = run_warnings(machine, Plan((SPEC,), PRECISION), (), (), (), ())
    assert "memory.max" in said


def test_launches_of_two_builds_are_told() -> None:
    node = Toolchain("g++ 12", "-O3", "aa")
    mpi = replace(node, mpi_library="MPICH 5")

    def said(**toolchains: tuple[Toolchain, ...]) -> str:
        plan = Plan((SPEC,), PRECISION)
        builds = [(program, one) for program, several in toolchains.items() for one in several]
        return " ".join(run_warnings(synthetic_machine(), plan, (), (), (), (), builds))

    assert said(node=(node,), mpi=(mpi,)) == ""
    assert said(mpich=(mpi,), openmpi=(replace(mpi, mpi_library="Open MPI 5"),)) == ""
    assert "g++ 13" in said(node=(node, replace(node, compiler="g++ 13")), mpi=(mpi,))
    assert "MPICH 6" in said(node=(node,), mpi=(mpi, replace(mpi, mpi_library="MPICH 6")))


def test_what_was_not_measured_comes_after_what_casts_doubt_on_the_rest() -> None:
    plan = Plan((SPEC,), PRECISION, skipped=(Skipped("network", "there is no MPI"),))
    estimates = [replace(e, reached=False) for e in filled_estimates(SPEC, 3)]
    drift = ReferenceDrift("memory", 1.0, 1.5, 1.5, 1.4, 1.6)
    said = run_warnings(synthetic_machine(), plan, outcomes(*[GOOD] * 3), estimates, (drift,), ())
    kinds = [text.partition(" ")[0] for text in said]
    assert kinds[0] == "performance"
    assert kinds.index("not") == len(kinds) - 1
