"""Core to core beside multichase's pingpong: one pair of CPUs, two protocols, no pauses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurSide, one_point
from bench.parsers import parse_pingpong
from bench.peers import PeerSide
from bench.rounds import Contender, ContenderError, Measured, measure_rounds
from bench.verdicts import Row, Target, center, ratio_row, within
from machmeter.benchmarks.threads import PAIRS
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.units import SECONDS, format_value

TITLE = "pairs"
PEER = "pingpong"
MARGIN = 0.10
# pingpong's option for what each of our protocols does.
SAME = {"compare-and-swap": "-l", "one-line": "-u"}
# pingpong prints the best of five windows, and counts words in steps of this many.
WINDOWS = 5
WINDOW_SECONDS = 0.25
STEP_WORDS = 20_000
# More than fit into the windows: the time ends a launch, as it ends pingpong's.
MOST_SAMPLES = 200_000
STATISTIC = "best of five windows"


def compare(bench: Bench) -> Outcome:
    """One-way times between the first two cores; the first allocates the line on either side."""
    outcome = empty_outcome("Core to core, one way")
    path = bench.options.peer(PEER)
    if not path:
        outcome.left_out.append(f"{PEER}: no path given (--{PEER} PATH)")
        return outcome
    if max(bench.thread_counts()) < 2:
        outcome.left_out.append(f"{PEER}: needs two cores")
        return outcome
    ours, peers = bench.ours(), bench.peers()
    pair = first_pair(ours)
    outcome.notes.append(
        f"CPUs {pair[0]} and {pair[1]}; half a round trip; pingpong without its pauses between "
        "tries (-r 0; ten by default, which is another method)"
    )
    for protocol in SAME:
        contenders = (_ours(ours, protocol, pair), _pingpong(peers, path, protocol, pair))
        measured = _measure(bench, protocol, contenders)
        names = (contenders[0].name, contenders[1].name)
        outcome.rows += rows(protocol, names, measured)
        outcome.failures += measured.failure_lines()
        outcome.notes += _step_notes(protocol, measured.values(names[1], STATISTIC))
    return outcome


def first_pair(side: OurSide) -> tuple[int, int]:
    """The CPUs that two threads are bound to, the lower one first: pingpong begins with it."""
    ((first, second),) = side.assignment(_layout(side)).cpus
    one, other = sorted((*first, *second))
    return one, other


def step_share(one_way: float) -> float:
    """The share of a window that one step of pingpong's count makes up; `one_way` in seconds."""
    return STEP_WORDS * one_way / WINDOW_SECONDS


def best_window(samples: Sequence[float], batch: int) -> float:
    """The mean of the fastest of the first five windows, as pingpong takes it.

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


def rows(protocol: str, names: tuple[str, str], measured: Measured) -> list[Row]:
    """The row of a protocol that both sides measured in two rounds or more.

    names: of our contender and of pingpong's. Where a step of pingpong's count is over half of the
    margin, no target is held against it.
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
    """Seconds of this pair. Raises ContenderError where pingpong measured any other."""
    if set(table) != {pair}:
        measured = ", ".join(f"{one}-{other}" for one, other in table)
        raise ContenderError(f"it measured CPUs {measured}, not {pair[0]}-{pair[1]}")
    return table[pair]


def _measure(bench: Bench, protocol: str, contenders: Sequence[Contender]) -> Measured:
    """Rounds of one protocol alone: both sides next to each other in time, half the budget."""
    options = bench.options
    return measure_rounds(
        contenders,
        options.rounds,
        options.budget / len(SAME),
        options.seed,
        bench.tell,
        f"{TITLE}, {protocol}",
    )


def _step_notes(protocol: str, theirs: Mapping[int, float]) -> list[str]:
    if not theirs:
        return []
    share = step_share(center(theirs))
    return [
        f"{protocol}: pingpong counts in steps of {STEP_WORDS:,} words, {100 * share:.1f} % of a "
        "window: its figure may be that much too low, for it prints the best window"
    ]


def _layout(side: OurSide) -> Layout:
    return Layout(threads_per_rank=2, page_bytes=side.base_pages, wait_policy=WaitPolicy.PASSIVE)


def _ours(side: OurSide, protocol: str, pair: tuple[int, int]) -> Contender:
    name = f"machmeter pairs, {protocol}"
    spec = one_point(
        PAIRS.name,
        {"pair": f"{pair[0]}-{pair[1]}", "protocol": protocol},
        _layout(side),
        samples=MOST_SAMPLES,
        seconds=WINDOWS * WINDOW_SECONDS,
        name=name,
    )

    def start(round_number: int) -> dict[str, float]:
        (point,) = side.launch(spec, round_number)
        return {STATISTIC: best_window(point.series["seconds"], point.batch)}

    return Contender(name, start)


def _pingpong(peers: PeerSide, path: str, protocol: str, pair: tuple[int, int]) -> Contender:
    command = (path, SAME[protocol], "-r", "0")

    def start(_round: int) -> dict[str, float]:
        table = parse_pingpong(peers.run_threads(command, len(pair)))
        return {STATISTIC: one_way(table, pair)}

    return Contender(f"{PEER}, {protocol}", start)
