"""Memory latency versus multichase: random order over the whole buffer, both page sizes."""

from __future__ import annotations

from collections.abc import Callable

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import Statistic, one_point
from bench.parsers import parse_multichase
from bench.rounds import Contender
from bench.verdicts import measured_row, within
from machmeter.benchmarks.memory.access import LATENCY
from machmeter.model.layout import Layout
from machmeter.model.machine import Memory
from machmeter.model.units import SECONDS, format_bytes

TITLE = "latency"
LINE_BYTES = 64
# multichase takes samples of half a second; ours gets the same time.
CHASE_SAMPLES = 2
SECONDS_OF_CHASE = 0.5 * CHASE_SAMPLES


def compare(bench: Bench) -> Outcome:
    """Load latency at one working set, on base pages and on huge pages."""
    outcome = empty_outcome("Memory latency")
    path = bench.options.peer("multichase")
    if not path:
        outcome.skipped.append("multichase: no path given (--multichase PATH)")
        return outcome
    size = bench.options.chase_bytes
    pages = page_sizes(bench.machine.memory)
    pairs = {page: (_ours(bench, page, size), _multichase(bench, page, size)) for page in pages}
    measured = bench.measure(TITLE, [contender for pair in pairs.values() for contender in pair])
    for page_bytes, (ours, peer) in pairs.items():
        outcome.rows.append(
            measured_row(
                f"{format_bytes(size)}, {format_bytes(page_bytes)} pages\n: multichase",
                measured.values(ours.name, "mean"),
                measured.values(peer.name, "mean"),
                unit=SECONDS,
                higher_is_better=False,
                statistic="mean",
                target=within(0.05),
            )
        )
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        f"one load per line of {LINE_BYTES} bytes; multichase without its page locality (-T as "
        "large as the buffer), mean of its samples (-a)"
    )
    return outcome


def page_sizes(memory: Memory) -> tuple[int, ...]:
    """Page sizes that both programs get on request, under that setting of the kernel."""
    base, huge = memory.base_page_bytes, memory.huge_page_bytes
    if memory.transparent_huge_pages == "never" or huge <= base:
        return (base,)
    # Set to always, multichase gets huge pages even without requesting them.
    return (huge,) if memory.transparent_huge_pages == "always" else (base, huge)


def _ours(bench: Bench, page_bytes: int, size: int) -> Contender:
    name = f"machmeter latency, {format_bytes(page_bytes)} pages"
    spec = one_point(
        LATENCY.name,
        {"size": size},
        Layout(page_bytes=page_bytes),
        samples=200,
        seconds=SECONDS_OF_CHASE,
        name=name,
    )
    return bench.ours().point_contender(name, spec, {"mean": ("", Statistic.MEAN)})


def _multichase(bench: Bench, page_bytes: int, size: int) -> Contender:
    peers, path = bench.peers(), bench.options.peer("multichase")
    command = (
        *(path, "-a", "-X", "-c", "simple", "-n", str(CHASE_SAMPLES), "-s", str(LINE_BYTES)),
        *("-m", str(size), "-T", str(size)),
        *(("-H",) if page_bytes > bench.machine.memory.base_page_bytes else ()),
    )
    start: Callable[[int], dict[str, float]] = lambda _round: {  # noqa: E731
        "mean": parse_multichase(peers.run_threads(command, 1))
    }
    return Contender(f"multichase, {format_bytes(page_bytes)} pages", start)
