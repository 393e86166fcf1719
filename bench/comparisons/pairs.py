"""Core-to-core latency versus multichase's pingpong: one pair of CPUs, two protocols, no pauses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, one_point
from bench.parsers import parse_pingpong
from bench.peers import PeerPrograms
from bench.rounds import Contender, ContenderError, RoundResults, measure_rounds
from bench.verdicts import Row, Target, center, ratio_row, within
from machmeter.benchmarks.threads import PAIRS
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.units import SECONDS, format_value

TITLE = "pairs"
PEER = "pingpong"
MARGIN = 0.10
# pingpong's option for each of our protocols.
SAME = {"compare-and-swap": "-l", "one-line": "-u"}
# pingpong prints the best of five windows, and counts words in steps of this size.
WINDOWS = 5
WINDOW_SECONDS = 0.25
STEP_WORDS = 20_000
# More than fit into the windows: time ends a launch, as it does pingpong's.
MOST_SAMPLES = 200_000
STATISTIC = "best of five windows"


def compare(bench: Bench) -> Outcome:
    """One-way times between the first two cores; in both programs the first allocates the line."""
    outcome = empty_outcome("Core-to-core latency, one way")
    path = bench.options.peer(PEER)
    if not path:
        outcome.skipped.append(f"{PEER}: no path given (--{PEER} PATH)")
        return outcome
    if max(bench.thread_counts()) < 2:
        outcome.skipped.append(f"{PEER}: needs two cores")
        return outcome
    ours, peers = bench.ours(), bench.peers()
    pair = first_pair(ours)
    outcome.notes.append(
        f"CPUs {pair[0]} and {pair[1]}; half a round trip; pingpong without pauses between tries "
        "(-r 0; its default of ten is a different method)"
    )
    for protocol in SAME:
        contenders = (_ours(ours, protocol, pair), _pingpong(peers, path, protocol, pair))
        measured = _measure(bench, protocol, contenders)
        names = (contenders[0].name, contenders[1].name)
        outcome.rows += rows(protocol, names, measured)
        outcome.failures += measured.failure_lines()
        outcome.notes += _step_notes(protocol, measured.values(names[1], STATISTIC))
    return outcome


def first_pair(ours: OurPrograms) -> tuple[int, int]:
    """The CPUs that two threads are bound to, the lower one first: pingpong begins with it."""
    ((first, second),) = ours.assignment(_layout(ours)).cpus
    one, other = sorted((*first, *second))
    return one, other


def step_share(one_way: float) -> float:
    """One step of pingpong's count as a share of a window; `one_way` in seconds."""
    return STEP_WORDS * one_way / WINDOW_SECONDS


def best_window(samples: Sequence[float], batch: int) -> float:
    """The mean of the fastest of the first five windows, as in pingpong.

    samples: seconds of one event, each over `batch` events. Raises ValueError where they do not
    fill a window.
    """
    means: list[float] = []
    elapsed, events = 0.0, 0
    for seconds in samples:
        elapsed += seconds * batch
        events += batch
        if elapsed >= WINDOW_SECONDS:
            means.append(elapsed / events)
            elapsed, events = 0.0, 0
    if not means:
        raise ValueError(f"the samples of machmeter do not fill {WINDOW_SECONDS} s")
    return min(means[:WINDOWS])


def rows(protocol: str, names: tuple[str, str], measured: RoundResults) -> list[Row]:
    """The row of a protocol with results of both in at least two rounds.

    names: of our contender and of pingpong's. Where a step of pingpong's count exceeds half of the
    margin, the row has no target.
    """
    a, b = (measured.values(name, STATISTIC) for name in names)
    if len(a.keys() & b.keys()) < 2:
        return []
    coarse = step_share(center(b)) > MARGIN / 2
    return [
        ratio_row(
            f"{protocol}\n: {PEER} {SAME[protocol]} -r 0",
            a,
            b,
            higher_is_better=False,
            statistic=STATISTIC,
            target=Target() if coarse else within(MARGIN),
            text=(format_value(center(a), SECONDS), format_value(center(b), SECONDS)),
        )
    ]


def one_way(table: Mapping[tuple[int, int], float], pair: tuple[int, int]) -> float:
    """Seconds of this pair. Raises ContenderError where pingpong measured another."""
    if set(table) != {pair}:
        measured = ", ".join(f"{one}-{other}" for one, other in table)
        raise ContenderError(f"measured CPUs {measured}, not {pair[0]}-{pair[1]}")
    return table[pair]


def _measure(bench: Bench, protocol: str, contenders: Sequence[Contender]) -> RoundResults:
    """Rounds of one protocol alone: both programs close in time, half the budget."""
    options = bench.options
    return measure_rounds(
        contenders,
        options.rounds,
        options.budget / len(SAME),
        options.seed,
        bench.notify,
        f"{TITLE}, {protocol}",
    )


def _step_notes(protocol: str, theirs: Mapping[int, float]) -> list[str]:
    if not theirs:
        return []
    share = step_share(center(theirs))
    return [
        f"{protocol}: pingpong counts in steps of {STEP_WORDS:,} words, {100 * share:.1f} % of a "
        "window: its result may be too low by that share, because it prints the best window"
    ]


def _layout(ours: OurPrograms) -> Layout:
    return Layout(threads_per_rank=2, page_bytes=ours.base_pages, wait_policy=WaitPolicy.PASSIVE)


def _ours(ours: OurPrograms, protocol: str, pair: tuple[int, int]) -> Contender:
    name = f"machmeter pairs, {protocol}"
    spec = one_point(
        PAIRS.name,
        {"pair": f"{pair[0]}-{pair[1]}", "protocol": protocol},
        _layout(ours),
        samples=MOST_SAMPLES,
        seconds=WINDOWS * WINDOW_SECONDS,
        name=name,
    )

    def start(round_number: int) -> dict[str, float]:
        (point,) = ours.launch(spec, round_number)
        return {STATISTIC: best_window(point.series["seconds"], point.batch)}

    return Contender(name, start)


def _pingpong(peers: PeerPrograms, path: str, protocol: str, pair: tuple[int, int]) -> Contender:
    command = (path, SAME[protocol], "-r", "0")

    def start(_round: int) -> dict[str, float]:
        table = parse_pingpong(peers.run_threads(command, len(pair)))
        return {STATISTIC: one_way(table, pair)}

    return Contender(f"{PEER}, {protocol}", start)
