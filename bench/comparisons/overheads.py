"""OpenMP overheads beside EPCC's syncbench: how many are told from zero, how many negative."""

from __future__ import annotations

from bench.context import Bench, Outcome, empty_outcome
from bench.parsers import SyncOverhead, parse_syncbench
from bench.rounds import Contender, ContenderError, Measured
from bench.verdicts import Row, Target, at_most, center, ratio_row, share_row
from machmeter.analysis.launch_value import launch_value
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
    spec = _spec(threads)
    printed: dict[str, list[SyncOverhead]] = {construct: [] for construct in CONSTRUCTS}
    contenders = [_ours(bench, spec)]
    contenders += [_syncbench(bench, c, threads, printed[c]) for c in CONSTRUCTS]
    measured = bench.measure(TITLE, contenders)
    outcome.rows += [row for c in CONSTRUCTS if (row := _ratio(measured, c)) is not None]
    outcome.rows += _counts(bench, spec, printed)
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        "EPCC calls what follows its +/- a confidence of 95 %, from the repetitions of one launch; "
        "machmeter's interval is over launches"
    )
    return outcome


def _spec(threads: int) -> LaunchSpec:
    layout = Layout(threads_per_rank=threads)
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


def _counts(bench: Bench, spec: LaunchSpec, printed: dict[str, list[SyncOverhead]]) -> list[Row]:
    ours = bench.ours().session.tally.estimates(spec)
    theirs = [overhead for launches in printed.values() for overhead in launches]
    if not ours or not theirs:
        return []
    negative, negative_theirs = sum(e.value < 0 for e in ours), sum(p.overhead < 0 for p in theirs)
    unresolved = sum(not e.resolved for e in ours)
    unresolved_theirs = sum(p.overhead <= p.half_width for p in theirs)
    return [
        share_row(
            "printed negative",
            negative / len(ours),
            len(ours),
            at_most(0.0),
            (f"{negative} of {len(ours)}", f"{negative_theirs} of {len(theirs)}"),
        ),
        share_row(
            "not told from zero",
            unresolved / len(ours),
            len(ours),
            Target(),
            (f"{unresolved} of {len(ours)}", f"{unresolved_theirs} of {len(theirs)}"),
        ),
    ]
