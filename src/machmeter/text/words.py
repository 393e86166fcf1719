"""Estimates, points and times in the words and digits that a person reads."""

from __future__ import annotations

import unicodedata
from datetime import datetime

from machmeter.model.benchmark import Value
from machmeter.model.layout import BASE_PAGE, Binding, Layout, ProgressMode
from machmeter.model.plan.variant import ONLY, Variant
from machmeter.model.results.estimate import Estimate, Knee
from machmeter.model.results.printed import printed_text
from machmeter.model.results.run import RunResult
from machmeter.model.text import readable
from machmeter.model.units import (
    NO_BOUND,
    SECONDS,
    SHARE,
    bound_text,
    format_bytes,
    format_interval,
    format_value,
    is_unbounded,
)

MAX_TEXT = 2000


def plain(text: str, limit: int = MAX_TEXT) -> str:
    """`text` on one line, without control or direction-changing characters, cut at `limit`.

    Host names and program output are not ours: they must not steer a terminal.
    """
    spaced = "".join(" " if c in "\n\r\t\u2028\u2029" else c for c in readable(text[: limit + 1]))
    kept = "".join(c for c in spaced if unicodedata.category(c) not in {"Cc", "Cf", "Cs"})
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"


def plain_lines(text: str) -> str:
    """`text` with its line breaks, each line made `plain`."""
    return "\n".join(plain(line) for line in text.split("\n"))


def is_printed(estimate: Estimate) -> bool:
    """Whether its one value is a number that others printed, with its digits and unit."""
    return estimate.launches == 1 and bool(printed_text(estimate.attributes))


def value_text(estimate: Estimate) -> str:
    """`18.2 GB/s`; an overhead that could not be resolved as its upper bound, `< 12.0 ns`.

    What others printed keeps their digits, their unit and what they say of it: `about 43.37 µs`.
    """
    if is_printed(estimate):
        return plain(printed_text(estimate.attributes), 120)
    if not estimate.resolved:
        if is_unbounded(estimate.high):
            return "unknown"
        return f"< {format_value(max(estimate.high, 0.0), estimate.unit)}"
    return format_value(estimate.value, estimate.unit)


def interval_text(estimate: Estimate) -> str:
    """The 95 % interval on the scale of the value, `[18.0, 18.4]`; a dash where there is none."""
    if not estimate.resolved or is_unbounded(estimate.high):
        return "–"
    return format_interval(estimate.low, estimate.high, estimate.value, estimate.unit)


def ratio_interval(ratio: float, low: float, high: float) -> str:
    """`1.92x [1.85, 2.00]`; bounds that bound nothing are told to be none."""
    below, above = (bound_text(end, ratio, f"{end:.2f}") for end in (low, high))
    known = NO_BOUND if below == above == NO_BOUND else f"[{below}, {above}]"
    return f"{ratio:.2f}x {known}"


def precision_text(estimate: Estimate) -> str:
    """`±1.3 %`, and what was asked where it was not reached.

    A share is itself in percent, so its half width is in percentage points.
    """
    if estimate.launches == 1:
        return "one launch says nothing of precision"
    if estimate.below_zero:
        return "unresolved: below zero, the reference may be biased"
    if not estimate.resolved:
        return "unresolved: the interval holds zero"
    if is_unbounded(estimate.precision):
        return "precision unknown"
    word = "points" if estimate.unit == SHARE else "%"
    got = f"±{100 * estimate.precision:.1f} {word}"
    if estimate.reached:
        return got
    return f"{got}, {100 * estimate.target_precision:g} {word} asked: not reached"


def figure_text(estimate: Estimate) -> str:
    """Value, interval and launches in one phrase."""
    parts = [value_text(estimate)]
    if estimate.resolved:
        parts.append(interval_text(estimate))
    launches = count_text(estimate.launches, "launch", "launches")
    return f"{' '.join(parts)}, {launches}, {precision_text(estimate)}"


def parameter_text(name: str, value: Value) -> str:
    """A parameter's value; sizes (in bytes) with their binary prefix."""
    if name == "size" and isinstance(value, int):
        return format_bytes(value)
    return plain(str(value), 80)


_PHRASES = {
    "size": "{}",
    "outstanding": "{} outstanding",
    "work_percent": "work {} % of communication",
    "buffers": "{} buffers",
    "start": "start by {}",
    "side": "{} side",
    "target": "target {}",
    "pair": "pair {}",
}


def parameter_phrase(name: str, value: Value) -> str:
    """A parameter in words that stand without its name: `window 64`, `hot buffers`."""
    text = parameter_text(name, value)
    if name == "direction":
        return text.replace("-", " ")
    if name == "window" and isinstance(value, str):
        return f"{text} window"
    if name in _PHRASES:
        return _PHRASES[name].format(text)
    return text if isinstance(value, str) else f"{name} {text}"


def layout_columns(layout: Layout, variant: Variant = ONLY) -> dict[str, str]:
    """Layout and variant, one phrase a part, in the order in which a person asks."""
    return {
        "nodes": str(layout.nodes),
        "ranks per node": str(layout.ranks_per_node),
        "threads per rank": str(layout.threads_per_rank),
        "inner threads": str(layout.inner_threads),
        "pages": format_bytes(layout.page_bytes),
        "wait policy": layout.wait_policy.value,
        "binding": layout.binding.value,
        "SMT": str(layout.smt),
        "reserved cores": str(layout.reserved_cores),
        "oversubscribed": "yes" if layout.oversubscribe else "no",
        "OpenMP": plain(layout.openmp, 40) or "as linked",
        "allocator": plain(layout.allocator, 40) or "as linked",
        "progress": layout.progress.value,
        "package": "all" if layout.package < 0 else str(layout.package),
        "MPI": plain(variant.mpi, 40) or "the only one",
    }


def threads_text(layout: Layout) -> str:
    """The threads of one rank: `2 threads`; outer times inner where they nest, `2 x 4 threads`."""
    if layout.inner_threads > 1:
        return f"{layout.threads_per_rank} x {layout.inner_threads} threads"
    return count_text(layout.threads_per_rank, "thread", "threads")


def split_text(layout: Layout) -> str:
    """Outer times inner threads of one rank, where every split is told: `8 x 1 threads`."""
    return f"{layout.threads_per_rank} x {layout.inner_threads} threads"


def binding_text(binding: Binding) -> str:
    """How threads are bound, in words that stand alone."""
    return {
        Binding.CLOSE: "close",
        Binding.SPREAD: "spread",
        Binding.OUTER: "outer threads bound",
        Binding.NONE: "unbound",
    }[binding]


def layout_text(layout: Layout, variant: Variant = ONLY) -> str:
    """The parts of a layout that differ from one thread on one core, `2 threads, 2 MiB pages`."""
    parts = []
    if layout.nodes > 1:
        parts.append(f"{layout.nodes} nodes")
    if layout.ranks > 1:
        parts.append(f"{layout.ranks} ranks")
    if layout.cpus_per_rank > 1 or layout.ranks == 1:
        parts.append(threads_text(layout))
    if layout.page_bytes != BASE_PAGE:
        parts.append(f"{format_bytes(layout.page_bytes)} pages")
    if layout.smt > 1:
        parts.append(f"SMT {layout.smt}")
    if layout.reserved_cores:
        parts.append(count_text(layout.reserved_cores, "reserved core", "reserved cores"))
    if layout.binding is not Binding.CLOSE:
        parts.append(binding_text(layout.binding))
    if layout.oversubscribe:
        parts.append("oversubscribed")
    if layout.package >= 0:
        parts.append(f"package {layout.package}")
    if layout.progress is not ProgressMode.LIBRARY:
        parts.append(layout.progress.value)
    names = (layout.openmp, layout.allocator, variant.name)
    parts += [plain(name, 40) for name in names if name]
    return ", ".join(parts)


def pages_text(key: str) -> str:
    """A page size in bytes, written as text, as a person reads it: `4096` is `4 KiB`."""
    return format_bytes(int(key)) if key.isdecimal() and len(key) < 19 else plain(key, 40)


def level_text(number: int, knee: Knee) -> str:
    """The name of one level of the memory hierarchy: `level 2, to 2 MiB`, `memory`."""
    if knee.size_bytes == 0:
        return "memory"
    return f"level {number}, to {format_bytes(knee.size_bytes)}"


def knee_text(knee: Knee) -> str:
    """The latency of a level with its interval, which one launch does not give."""
    value = format_value(knee.latency_seconds, SECONDS)
    interval = format_interval(knee.low_seconds, knee.high_seconds, knee.latency_seconds, SECONDS)
    return f"{value} {interval}"


def count_text(count: int, one: str, many: str) -> str:
    """`1 launch`, `12 launches`."""
    return f"{count:,} {one if count == 1 else many}"


def duration_text(seconds: float) -> str:
    """Seconds as a person reads a wall time: `48 s`, `2 min 11 s`, `1 h 4 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def time_text(iso: str) -> str:
    """An ISO 8601 time as `2026-11-20 10:00 UTC`; anything else as it is."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return plain(iso, 40)
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".strip()


def mpi_used(result: RunResult, limit: int = 60) -> str:
    """The MPI library as it names itself in the records, cut at `limit`, and what was asked for."""
    library = result.toolchain.mpi_library if result.toolchain else ""
    if not library:
        return "none used"
    return f"{plain(library, limit)} (asked: {plain(result.header.request.mpi, 60)})"


def mpi_names(result: RunResult) -> tuple[str, ...]:
    """The MPI libraries that figures tell apart, by the names asked for; empty where but one."""
    names = dict.fromkeys(e.point.variant.mpi for e in result.estimates)
    return tuple(plain(name, 40) for name in names if name)


def transports_text(result: RunResult) -> tuple[tuple[str, str], ...]:
    """Of each library what it says of its transports, by its own names; nothing where silent."""
    said = (
        (plain(library, 60), ", ".join(f"{name} {text}" for name, text in transport.items()))
        for library, transport in result.transports.items()
    )
    return tuple((library, plain(text, 400)) for library, text in said if text)
