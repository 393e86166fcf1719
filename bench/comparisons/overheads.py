"""OpenMP overheads beside EPCC's syncbench: how many are told from zero, how many negative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.context import Bench, Outcome, empty_outcome
from bench.parsers import SyncOverhead, parse_syncbench
from bench.rounds import Contender, ContenderError, Measured
from bench.verdicts import Row, Target, at_most, center, ratio_row, share_row
from machmeter.analysis.launch_value import launch_value
from machmeter.analysis.student import mean_and_half_width
from machmeter.benchmarks.threads import CONSTRUCTS, SYNC
from machmeter.model.launch import LaunchSpec
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.model.units import SECONDS, format_value

TITLE = "overheads"
OURS = "machmeter threads.sync"


def compare(bench: Bench) -> Outcome:
    """Overheads of all constructs that both measure, with the most threads of the bench."""
    threads = max(bench.thread_counts())
    outcome = empty_outcome(f"OpenMP overheads, {threads} threads, waiting threads spin")
    if not bench.options.peer("syncbench"):
        outcome.left_out.append("syncbench: no path given (--syncbench PATH)")
        return outcome
    spec = _spec(bench, threads)
    printed: dict[str, list[SyncOverhead]] = {construct: [] for construct in CONSTRUCTS}
    contenders = [_ours(bench, spec)]
    contenders += [_syncbench(bench, c, threads, printed[c]) for c in CONSTRUCTS]
    measured = bench.measure(TITLE, contenders)
    outcome.rows += [row for c in CONSTRUCTS if (row := _ratio(measured, c)) is not None]
    outcome.rows += counted_rows(measured)
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        "a launch counts as below zero by its raw value, on both sides; a construct counts as not "
        "told from zero where the 95 % interval over its launches holds zero, on both sides"
    )
    outcome.notes += _epcc_note(
        [overhead for launches in printed.values() for overhead in launches]
    )
    return outcome


def _spec(bench: Bench, threads: int) -> LaunchSpec:
    layout = Layout(threads_per_rank=threads, page_bytes=bench.ours().base_pages)
    points = tuple(make_point(SYNC.name, {"construct": c}, layout) for c in CONSTRUCTS)
    return LaunchSpec(
        OURS, SYNC.executable, SYNC.name, layout, points, seconds_per_point=SYNC.seconds_per_point
    )


def _ours(bench: Bench, spec: LaunchSpec) -> Contender:
    side, metric = bench.ours(), SYNC.metrics[0]

    def start(round_number: int) -> dict[str, float]:
        points = side.launch(spec, round_number)
        return {str(p.parameters["construct"]): launch_value(metric, p).value for p in points}

    return Contender(OURS, start)


def _peer_name(construct: str) -> str:
    return f"syncbench {construct}"


def _syncbench(
    bench: Bench, construct: str, threads: int, printed: list[SyncOverhead]
) -> Contender:
    peers, path = bench.peers(), bench.options.peer("syncbench")
    command = (path, "--measureonly", construct.upper())

    def start(_round: int) -> dict[str, float]:
        found = parse_syncbench(peers.run_threads(command, threads)).get(construct)
        if found is None:
            raise ContenderError(f"it printed no overhead of {construct}")
        printed.append(found)
        return {"overhead": found.overhead}

    return Contender(_peer_name(construct), start)


def _ratio(measured: Measured, construct: str) -> Row | None:
    """A ratio means something only where every launch of both sides is above zero."""
    a, b = measured.values(OURS, construct), measured.values(_peer_name(construct), "overhead")
    if len(a.keys() & b.keys()) < 2 or min((*a.values(), *b.values())) <= 0:
        return None
    return ratio_row(
        f"{construct}\n: syncbench",
        a,
        b,
        higher_is_better=False,
        statistic="mean",
        target=Target(),
        text=(format_value(center(a), SECONDS), format_value(center(b), SECONDS)),
    )


def counted_rows(measured: Measured) -> list[Row]:
    """How often each side's raw overheads are below zero, and not told from it."""
    ours = {c: tuple(measured.values(OURS, c).values()) for c in CONSTRUCTS}
    theirs = {c: tuple(measured.values(_peer_name(c), "overhead").values()) for c in CONSTRUCTS}
    if not any(ours.values()) or not any(theirs.values()):
        return []
    return [
        _count_row("launches below zero", _below_zero(ours), _below_zero(theirs), at_most(0.0)),
        _count_row("constructs not told from zero", _not_told(ours), _not_told(theirs), Target()),
    ]


def _count_row(what: str, ours: list[bool], theirs: list[bool], target: Target) -> Row:
    text = (f"{sum(ours)} of {len(ours)}", f"{sum(theirs)} of {len(theirs)}")
    return share_row(what, sum(ours) / max(1, len(ours)), len(ours), target, text)


def _below_zero(launches: Mapping[str, Sequence[float]]) -> list[bool]:
    """One a launch of a construct."""
    return [value < 0 for values in launches.values() for value in values]


def _not_told(launches: Mapping[str, Sequence[float]]) -> list[bool]:
    """One a construct with two launches or more: whether the interval over them holds zero."""
    pairs = [mean_and_half_width(values) for values in launches.values() if len(values) >= 2]
    return [mean <= half for mean, half in pairs]


def _epcc_note(launches: Sequence[SyncOverhead]) -> list[str]:
    if not launches:
        return []
    within = sum(launch.overhead <= launch.half_width for launch in launches)
    return [
        f"by EPCC's own +/-, 95 % from the repetitions of one launch, {within} of its "
        f"{len(launches)} overheads are not told from zero"
    ]
