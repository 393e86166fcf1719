"""Tables of the network benchmarks that say more than their figures one by one."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import BYTES, format_value
from machmeter.report.benchmarks.pivots import (
    MOST_ROWS,
    pivot,
    ratio_pivot,
    varying_names,
    with_interval,
)
from machmeter.report.benchmarks.selection import (
    estimates_of,
    fewest_ranks,
    number,
    of_metric,
    plain_choices,
)
from machmeter.report.benchmarks.variant_pairs import LATENCY_VARIANTS, NOTHING, ratio_of, twins_of
from machmeter.report.tables import Row, Table
from machmeter.text.labels import (
    NODES,
    OUTSTANDING,
    PAIRS,
    RANKS,
    SIZE,
    THREADS,
    WINDOW,
    Axis,
    point_columns,
)

_LITTLE = (
    "In flight: the rate times the time of one operation by itself (Little's law): as many as "
    "overlap, of the {} that were begun together. Brackets: 95 % intervals."
)


def messages(result: RunResult) -> tuple[Table, ...]:
    """Other ways to send a message over the plain one at equal sizes."""
    found = estimates_of(result, "network.latency")
    twins = twins_of(found, *LATENCY_VARIANTS)
    caption = "network.latency: other ways over the plain one, by size"
    return tuple(ratio_pivot(caption, twins, SIZE))


def windows(result: RunResult) -> tuple[Table, ...]:
    """Bandwidth and rate by pairs, and rate by messages in flight."""
    found = estimates_of(result, "network.bandwidth")
    tables: list[Table] = []
    for metric, title in (("bandwidth", "bandwidth"), ("message_rate", "message rate")):
        rates = [e for e in found if e.metric.startswith(metric)]
        if _several(rates, PAIRS):
            wide = [e for e in rates if e.point.layout.ranks > 2]
            sizes = {SIZE.of(e) for e in wide}
            rates = [e for e in rates if SIZE.of(e) in sizes]
            tables += pivot(f"network.bandwidth: {title} by pairs", rates, PAIRS)
    every = fewest_ranks(of_metric(found, "message_rate"))
    several = {s for s in map(SIZE.of, every) if _several(_of_size(every, s), WINDOW)}
    rates = [e for e in every if SIZE.of(e) in several]
    if rates:
        tables += pivot("network.bandwidth: message rate by window", rates, WINDOW)
    return tuple(tables)


def _of_size(estimates: Sequence[Estimate], at: int) -> list[Estimate]:
    return [e for e in estimates if SIZE.of(e) == at]


def pairs(result: RunResult) -> tuple[Table, ...]:
    """Slowest pair by number of pairs, and one definition over the other."""
    found = of_metric(estimates_of(result, "network.pairs"), "latency")
    twins = twins_of(found, "definition")
    note = "Above 1x: `classic` is the slower one."
    return (
        *pivot("network.pairs: slowest pair by number of pairs", found, PAIRS),
        *ratio_pivot("network.pairs: barrier over classic", twins, PAIRS, note),
    )


def threads(result: RunResult) -> tuple[Table, ...]:
    """Message rate by threads."""
    found = of_metric(estimates_of(result, "network.threads"), "message_rate")
    return tuple(pivot("network.threads: message rate by threads", found, THREADS))


def overlap(result: RunResult) -> tuple[Table, ...]:
    """Communication hidden by size."""
    return _shares(result, "network.overlap")


def collective_overlap(result: RunResult) -> tuple[Table, ...]:
    """Both shares hidden, operation by size."""
    return _shares(result, "network.collective-overlap")


def _shares(result: RunResult, benchmark: str) -> tuple[Table, ...]:
    tables: list[Table] = []
    for metric in ("communication_hidden", "work_hidden"):
        found = of_metric(estimates_of(result, benchmark), metric)
        tables += pivot(f"{benchmark}: share of {metric.replace('_', ' ')}, by size", found, SIZE)
    return tuple(tables)


def availability(result: RunResult) -> tuple[Table, ...]:
    """Share of the time left for work, by size."""
    found = estimates_of(result, "network.availability")
    return tuple(pivot("network.availability by size", found, SIZE))


def collectives(result: RunResult) -> tuple[Table, ...]:
    """Operation by size; forms, starts and datatypes over the plain ones; injection by nodes."""
    found = estimates_of(result, "network.collective")
    times, injected = of_metric(found, "time"), of_metric(found, "injection")
    plain = plain_choices(times, "operation")
    tables = pivot("network.collective: slowest rank, operation by size", plain, SIZE)
    for name, caption in (
        ("form", "forms over the blocking one"),
        ("start", "start after a barrier over start by time"),
        ("datatype", "reductions of other elements over those of float"),
    ):
        twins = twins_of(plain_choices(times, name, "operation"), name)
        tables += ratio_pivot(f"network.collective: {caption}", twins, SIZE)
    axis = NODES if _several(injected, NODES) else RANKS
    injections = plain_choices(injected, "operation")
    caption = f"network.collective: bytes injected by each node, by {axis.name}"
    return (*tables, *pivot(caption, injections, axis))


def _several(estimates: Sequence[Estimate], axis: Axis) -> bool:
    return len({axis.of(e) for e in estimates}) > 1


def transfers(result: RunResult) -> tuple[Table, ...]:
    """MPI's one-sided transfers."""
    return _one_sided(result, "network.onesided")


def atomics(result: RunResult) -> tuple[Table, ...]:
    """MPI's atomic operations."""
    return _one_sided(result, "network.atomics")


def shmem_transfers(result: RunResult) -> tuple[Table, ...]:
    """OpenSHMEM's transfers."""
    return _one_sided(result, "shmem.transfer")


def shmem_atomics(result: RunResult) -> tuple[Table, ...]:
    """OpenSHMEM's atomic operations."""
    return _one_sided(result, "shmem.atomics")


def _one_sided(result: RunResult, benchmark: str) -> tuple[Table, ...]:
    """Time of one operation, rate of many, and how many of them are in flight."""
    found = estimates_of(result, benchmark)
    times, rates = of_metric(found, "time"), of_metric(found, "rate")
    names, constant = varying_names(times, OUTSTANDING.stands_for)
    most = max((number(e, "outstanding") for e in rates), default=0)
    alone = _by_case(times, names, 1)
    alone_rates, many = _by_case(rates, names, 1), _by_case(rates, names, most)
    rows = tuple(
        (
            *(case or (benchmark,)),
            with_interval(alone.get(case)),
            with_interval(many.get(case)),
            _in_flight(many.get(case), alone_rates.get(case)),
        )
        for case in dict.fromkeys([*alone, *many])
    )
    if not rows:
        return ()
    before = names or ("benchmark",)
    columns = (*before, "one alone", f"rate, {most} outstanding", "in flight")
    numeric = tuple(range(len(before), len(columns)))
    caption = f"{benchmark}: one operation, many, and how many overlap"
    note = " ".join(text for text in (_LITTLE.format(most), constant) if text)
    if len(rows) > MOST_ROWS:
        note += f" {MOST_ROWS} of {len(rows)} cases are shown."
    return (Table(caption, columns, rows[:MOST_ROWS], numeric, note),)


def _by_case(
    estimates: Sequence[Estimate], names: Sequence[str], outstanding: int
) -> dict[Row, Estimate]:
    found = {}
    for one in estimates:
        if number(one, "outstanding") == outstanding:
            known = point_columns(one.point)
            found[tuple(known.get(name, NOTHING) for name in names)] = one
    return found


def _in_flight(many: Estimate | None, alone: Estimate | None) -> str:
    """The rate of many over that of one alone, which is one over its time."""
    found = ratio_of(many, alone) if many and alone else None
    return f"{found.ratio:.1f} [{found.low:.1f}, {found.high:.1f}]" if found else NOTHING


def shmem_alltoall(result: RunResult) -> tuple[Table, ...]:
    """Time by size."""
    found = of_metric(estimates_of(result, "shmem.alltoall"), "time")
    return tuple(pivot("shmem.alltoall: slowest processing element, by size", found, SIZE))


def startup(result: RunResult) -> tuple[Table, ...]:
    """Time and memory by ranks, and what each more peer costs."""
    found = estimates_of(result, "network.startup")
    tables: list[Table] = []
    for metric, caption in (
        ("init", "MPI_Init"),
        ("contact", "first message with every peer"),
        ("memory", "memory of a rank"),
        ("memory_before_contact", "memory of a rank before any message"),
    ):
        of_one = of_metric(found, metric)
        tables += pivot(f"network.startup: {caption}, by ranks", of_one, RANKS, _growth(of_one))
    return tuple(tables)


def _growth(estimates: Sequence[Estimate]) -> str:
    """Memory that one more peer costs, between the fewest and the most ranks."""
    if not estimates or estimates[0].unit != BYTES:
        return ""
    libraries = dict.fromkeys(e.point.variant.mpi for e in estimates)
    parts = []
    for mpi in libraries:
        found = sorted((e for e in estimates if e.point.variant.mpi == mpi), key=RANKS.of)
        more = RANKS.of(found[-1]) - RANKS.of(found[0])
        if more > 0:
            each = format_value((found[-1].value - found[0].value) / more, BYTES)
            parts.append(f"{each}{f' with {mpi}' if mpi else ''}")
    return f"Each more rank costs {', '.join(parts)}." if parts else ""
