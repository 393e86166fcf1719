"""What became of a launch, from what the launcher saw and what the record holds. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from machmeter.analysis.stats.launch_value import launch_value
from machmeter.apps.changed_files import changed_files
from machmeter.apps.judge import output_faults
from machmeter.benchmarks.catalogue import find
from machmeter.launch.launcher import Attempt
from machmeter.layout.program_libraries import library_changes
from machmeter.layout.verification.observed import observed_problems
from machmeter.layout.verification.verify import not_observed, page_problems, verify
from machmeter.model.benchmark import Benchmark
from machmeter.model.machine import Topology
from machmeter.model.plan.launch import (
    FileState,
    Launch,
    LaunchOutcome,
    PointRecord,
    Record,
    Verdict,
)
from machmeter.run.measuring.contention import contention_reasons, share_of_others
from machmeter.run.measuring.device_contention import device_reasons
from machmeter.run.measuring.tally import metrics_of

_LONGEST_WORDS = 200
_LAST_LINES = 3
_LEAST_RULE = 20
_OF_LAUNCHERS = ("mpiexec", "mpirun", "prterun", "Primary job", "BAD TERMINATION")
_NOT_ENDED = (Verdict.INCOMPLETE, Verdict.FAILED, Verdict.TIMED_OUT)


class FirstLaunch(Struct, frozen=True):
    """What all launches of a program have in common, by the first one that was accepted."""

    values: Mapping[str, float] = field(default_factory=dict)
    """As `expected` of `apps.judge.output_faults`."""
    libraries: tuple[str, ...] = ()
    """Paths of the libraries that it loaded, as of `ObservedTree`."""
    inputs: Mapping[str, FileState] = field(default_factory=dict)
    """The program and its input files by path, each as the first launch that had it was given
    it."""


def judge(  # noqa: PLR0913 - what the launcher saw, each fact once
    launch: Launch,
    record: Record,
    *,
    command: tuple[str, ...],
    exit_code: int,
    timed_out: bool,
    started: str,
    wall_seconds: float,
    output: str,
    usable: Sequence[int] = (),
    own: Sequence[Benchmark] = (),
    first: FirstLaunch = FirstLaunch(),  # noqa: B008 - frozen
    among_others: bool = False,
    stopped_seconds: float = 0.0,
) -> LaunchOutcome:
    """The outcome of a launch. Only an accepted one is used, without its dropped points.

    usable: the CPUs that threads which are not bound may use (empty: not known); own: benchmarks
    that the study has of its own; first: the launch that this one is compared with; among_others:
    whether it counts whatever others took of its CPUs; stopped_seconds: how long it stood still.
    """
    # Where it ran comes first: a launch on the wrong cores often fails as well, for that reason.
    elsewhere = verify(launch, record, usable) if record.header is not None else ()
    faults = output_faults(launch, record.output, first.values) if record.complete else ()
    given = record.header.inputs if record.header else ()
    files = changed_files(launch.spec.command, given, first.inputs) if record.complete else ()
    changes = library_changes(first.libraries, loaded_libraries(record))
    by_device = device_reasons(record, among_others=among_others)
    stood_still = _stood_still(stopped_seconds)
    by_others = () if among_others or stood_still else contention_reasons(record)
    disturbed = (*by_others, *by_device, *stood_still)
    if elsewhere:
        verdict, reasons = _refusal(launch, record), elsewhere
        # Copies of one program on one core look misplaced.
        parallel = [one.reason for one in faults if one.verdict is Verdict.WRONG_PARALLELISM]
        if parallel:
            verdict, reasons = Verdict.WRONG_PARALLELISM, (*parallel, *elsewhere)
    elif files:
        # A changed file explains whatever else is wrong.
        verdict, reasons = Verdict.REJECTED, files
    elif faults:
        verdict, reasons = faults[0].verdict, tuple(one.reason for one in faults)
    elif changes and record.complete:
        verdict, reasons = Verdict.REJECTED, changes
    elif disturbed:
        verdict, reasons = Verdict.CONTENDED, disturbed
    else:
        verdict, reasons = _verdict(launch, record, exit_code, timed_out, wall_seconds)
    if verdict in _NOT_ENDED:
        reasons += _what_was_measured(record) + _own_words(launch, output)
    read = verdict in (Verdict.ACCEPTED, Verdict.CONTENDED)
    dropped = _dropped_points(launch, record, own) if read else {}
    return LaunchOutcome(
        launch=launch.number,
        spec=launch.spec.name,
        verdict=verdict,
        reasons=reasons,
        command=command,
        exit_code=exit_code,
        started=started,
        wall_seconds=wall_seconds,
        output=output,
        round=launch.round,
        dropped_points=dropped,
        share_of_others=share_of_others(record),
        disturbed=verdict is Verdict.CONTENDED and reasons == disturbed,
        stopped_seconds=stopped_seconds or UNSET,
        device_disturbed=(bool(by_device) and reasons == disturbed) or UNSET,
    )


def judge_attempt(  # noqa: PLR0913 - as of `judge`
    launch: Launch,
    attempt: Attempt,
    record: Record,
    *,
    started: str = "",
    usable: Sequence[int] = (),
    own: Sequence[Benchmark] = (),
    first: FirstLaunch = FirstLaunch(),  # noqa: B008 - frozen
    among_others: bool = False,
) -> LaunchOutcome:
    """`judge` of a launch that a launcher started."""
    result = attempt.result
    return judge(
        launch,
        record,
        command=attempt.command,
        exit_code=result.exit_code,
        timed_out=result.timed_out,
        started=started,
        wall_seconds=result.wall_seconds,
        output=result.output,
        usable=usable,
        own=own,
        first=first,
        among_others=among_others,
        stopped_seconds=result.stopped_seconds,
    )


def _stood_still(seconds: float) -> tuple[str, ...]:
    words = (
        f"machmeter stood still for {seconds:.0f} s, and most likely the launch with it: a "
        "suspended job, a paused machine, or Ctrl-Z"
    )
    return (words,) if seconds else ()


def loaded_libraries(record: Record) -> tuple[str, ...]:
    """Paths of the libraries that the ranks of a program that is not ours loaded."""
    return tuple(dict.fromkeys(path for rank in record.observed for path in rank.tree.libraries))


def _refusal(launch: Launch, record: Record) -> Verdict:
    """What a launch that did not run as requested is called."""
    if launch.spec.is_ours or not_observed(record):
        return Verdict.REJECTED
    problems = observed_problems(launch, record.observed)
    return problems[0].verdict if problems else Verdict.REJECTED


def cpu_numbers(topology: Topology) -> tuple[int, ...]:
    """The CPUs that threads which are not bound may use."""
    return tuple(cpu.number for cpu in topology.usable)


def as_it_stands(
    outcome: LaunchOutcome, launch: Launch, record: Record, usable: Sequence[int]
) -> LaunchOutcome:
    """The outcome as its record still bears it out: one that was changed since is not used.

    usable: as of `judge`.
    """
    if outcome.verdict is not Verdict.ACCEPTED:
        return outcome
    whole = record.complete
    reasons = verify(launch, record, usable) if whole else (record.problem,)
    if whole:
        reasons += tuple(one.reason for one in output_faults(launch, record.output, {}))
    if not reasons:
        return outcome
    changed = "the record was whole and verified when it was accepted, and is not any more"
    now = Verdict.REJECTED if whole else Verdict.INCOMPLETE
    return replace(outcome, verdict=now, reasons=(changed, *reasons))


def _verdict(
    launch: Launch, record: Record, exit_code: int, timed_out: bool, wall_seconds: float
) -> tuple[Verdict, tuple[str, ...]]:
    codes = launch.spec.command.exit_codes if launch.spec.command else (0,)
    if timed_out and not record.complete:
        return Verdict.TIMED_OUT, (
            f"no end after {wall_seconds:.0f} s; {len(record.points)} of "
            f"{len(launch.spec.points)} points were recorded by then",
        )
    ended = _ending(exit_code)
    if record.complete:
        # Completion is told by the record's closing line; exit codes lie both ways.
        if timed_out:
            ended = f"the program hung and was ended after {wall_seconds:.0f} s,"
        bad = timed_out or exit_code not in codes
        return Verdict.ACCEPTED, (f"{ended} after its record was complete",) if bad else ()
    if exit_code not in codes:
        of_record = f"; {record.problem}" if launch.spec.is_ours else ""
        return Verdict.FAILED, (f"{ended}{of_record}",)
    return Verdict.INCOMPLETE, (record.problem,)


def _ending(exit_code: int) -> str:
    if exit_code < 0:
        return f"the program was ended by signal {-exit_code}"
    return f"the program ended with exit code {exit_code}"


def _what_was_measured(record: Record) -> tuple[str, ...]:
    """The point that the record ends in."""
    if record.begun is None:
        return ()
    point = ",".join(f"{name}={value}" for name, value in record.begun.parameters.items())
    return (f"it was measuring {_printable(point)[:_LONGEST_WORDS]}",)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _own_words(launch: Launch, output: str) -> tuple[str, ...]:
    """What the program said that tells most: our programs' own words, else its first line; of a
    program that is not ours its last lines."""
    lines = [_printable(line) for line in output.splitlines()]
    if not launch.spec.is_ours:
        lines = _without_ruled_end(lines)
    spoken = [line.strip() for line in lines if any(c.isalpha() for c in line)]
    if not launch.spec.is_ours:
        last = " | ".join(line[:_LONGEST_WORDS] for line in spoken[-_LAST_LINES:])
        return (f"it said: {last}",) if last else ()
    ours = [line for line in spoken if line.startswith("machmeter-")]
    return tuple(f"it said: {line[:_LONGEST_WORDS]}" for line in (ours or spoken)[:1])


def _without_ruled_end(lines: list[str]) -> list[str]:
    """Without the blocks between two ruled lines at the end in which Open MPI and Hydra say that a
    program failed, unless nothing else was said."""
    left = list(lines)
    while left and not left[-1].strip():
        left.pop()
    if not left or not _is_rule(left[-1]):
        return lines
    opening = next((n for n in range(len(left) - 2, -1, -1) if _is_rule(left[n])), 0)
    if not any(words in line for line in left[opening:] for words in _OF_LAUNCHERS):
        return lines
    return _without_ruled_end(left[:opening]) or lines


def _is_rule(line: str) -> bool:
    text = line.strip()
    return len(text) >= _LEAST_RULE and text[0] in "-=" and len(set(text)) == 1


def _dropped_points(launch: Launch, record: Record, own: Sequence[Benchmark]) -> dict[str, str]:
    dropped = page_problems(launch, record)
    benchmark = find(launch.spec.benchmark, own)
    for point in record.points:
        key = launch.spec.point(point.parameters).key
        reason = _unusable(benchmark, point)
        if reason and key not in dropped:
            dropped[key] = reason
    return dropped


def _unusable(benchmark: Benchmark, point: PointRecord) -> str:
    if not point.check.passed:
        return f"the kernel's own check failed: {point.check.what}"
    try:
        for metric in metrics_of(benchmark, point):
            launch_value(metric, point)
    except ValueError as error:
        return str(error)
    return ""
