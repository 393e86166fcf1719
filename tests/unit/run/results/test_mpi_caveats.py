"""Whose a latency is, the library's or the machine's, is said with what shows it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.plan.launch import LaunchOutcome, Verdict
from machmeter.model.point import make_point
from machmeter.model.results.caveat import CaveatKind
from machmeter.run.results.mpi_caveats import (
    LibraryLatency,
    failed_library_caveats,
    other_library_caveats,
    system_time_caveats,
)
from machmeter.run.results.observed import SystemTime
from tests.support.fake_launcher import small_spec

SPEC = small_spec()


def system_times(library: str, *shares: float, size: int = 8) -> list[SystemTime]:
    point = make_point("network.latency", {"size": size}, SPEC.layout)
    spec = replace(SPEC, points=(point,))
    return [SystemTime(library, spec, share) for share in shares]


def test_a_library_that_lives_in_the_system_is_told_with_another_to_compare() -> None:
    mpich = system_times("MPICH Version: 5.0.2", 0.1, 0.55, 0.6)
    (caveat,) = system_time_caveats(mpich, "x86_64")
    assert caveat.kind is CaveatKind.SYSTEM_TIME
    assert caveat.text == (
        "MPICH 5.0.2 spent 55 % of the CPU time of its messages in the system (likely yields at "
        "each poll): latency is the library's"
    )
    assert caveat.remedy == "compare with --mpi openmpi"
    (elsewhere,) = system_time_caveats(mpich, "riscv64")
    assert elsewhere.remedy == ""
    (other,) = system_time_caveats(system_times("Open MPI v4.1.4, Debian", 0.3), "x86_64")
    assert other.remedy == "compare with --mpi mpich"


def test_a_library_that_stays_out_of_the_system_is_not_told() -> None:
    open_mpi = system_times("Open MPI v5.0.11", 0.02, 0.9, 0.03)
    assert system_time_caveats(open_mpi, "x86_64") == []
    (both,) = system_time_caveats(open_mpi + system_times("MPICH 5", 0.5), "x86_64")
    assert both.text.startswith("MPICH 5 ")
    assert both.remedy == ""


def test_what_else_may_need_the_system_is_told() -> None:
    (large,) = system_time_caveats(system_times("MPICH 5", 0.5, size=65536), "x86_64")
    assert "(likely yields at each poll or copies of large messages)" in large.text


def test_yields_that_were_counted_are_the_cause() -> None:
    spec = replace(SPEC, points=(make_point("network.latency", {"size": 8}, SPEC.layout),))
    polls = [SystemTime("MPICH 5", spec, 0.7, yields) for yields in (3.0, 3.2, 40.0)]
    (caveat,) = system_time_caveats(polls, "x86_64")
    assert "70 %" in caveat.text
    assert "called sched_yield 3.2 times a message" in caveat.text
    (without_time,) = system_time_caveats([SystemTime("MPICH 5", spec, None, 1.0)], "x86_64")
    assert without_time.text.startswith("MPICH 5 called sched_yield 1 times a message")
    assert system_time_caveats([SystemTime("MPICH 5", spec, 0.1, 0.9)], "x86_64") == []


def test_what_did_not_yield_is_not_said_to() -> None:
    spec = replace(SPEC, points=(make_point("network.latency", {"size": 65536}, SPEC.layout),))
    (caveat,) = system_time_caveats([SystemTime("MPICH 5", spec, 0.7, 0.0)], "x86_64")
    assert "(likely copies of large messages)" in caveat.text
    small = replace(SPEC, points=(make_point("network.latency", {"size": 8}, SPEC.layout),))
    (other,) = system_time_caveats([SystemTime("MPICH 5", small, 0.7, 0.0)], "x86_64")
    assert "(not for sched_yield)" in other.text


OURS = LibraryLatency("mpich", "MPICH Version: 5.0.2", (1.2e-6, 1.1e-6, 1.3e-6))


@pytest.mark.parametrize(
    ("seconds", "ratio", "kind"),
    [
        ((0.3e-6, 0.24e-6), "4.44x", CaveatKind.FASTER_LIBRARY),
        ((1.6e-6, 2.0e-6), "1.50x", CaveatKind.OTHER_LIBRARY),
    ],
)
def test_another_library_that_is_far_from_this_one_is_told(
    seconds: tuple[float, ...], ratio: str, kind: CaveatKind
) -> None:
    theirs = LibraryLatency("/usr", "Open MPI v4.1.4, Debian", seconds)
    (caveat,) = other_library_caveats(OURS, theirs)
    assert caveat.kind is kind
    assert ratio in caveat.text
    assert "Open MPI v4.1.4" in caveat.text
    assert "in 2 launches" in caveat.text
    assert "MPICH 5.0.2 1.2 µs" in caveat.text
    assert caveat.remedy == "compare them with --mpi mpich --mpi /usr"


@pytest.mark.parametrize("seconds", [(), (0.3e-6, 1.0e-6), (1.5e-6, 2.0e-6), (0.3e-6, 3e-6)])
def test_another_library_is_not_told_where_a_launch_is_near(seconds: tuple[float, ...]) -> None:
    assert other_library_caveats(OURS, LibraryLatency("/usr", "Open MPI", seconds)) == []
    assert other_library_caveats(replace(OURS, seconds=()), OURS) == []


def test_another_library_that_cannot_be_launched_is_told_and_is_no_failure_of_the_run() -> None:
    failed = LaunchOutcome(
        6, "network.latency of /usr", Verdict.FAILED, ("exit code 1",), (), 1, "", 0.1
    )
    (caveat,) = failed_library_caveats([failed, failed])
    assert caveat.kind is CaveatKind.NOT_MEASURED
    assert "network.latency of /usr" in caveat.text
    assert "exit code 1" in caveat.text
    accepted = replace(failed, verdict=Verdict.ACCEPTED)
    assert failed_library_caveats([failed, accepted]) == []
    assert failed_library_caveats([]) == []
