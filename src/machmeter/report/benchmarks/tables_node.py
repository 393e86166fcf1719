"""Tables of one benchmark that say more than its figures one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from machmeter.analysis.history.change_points import stability
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import (
    STREAM_BYTES_PER_SECOND,
    UNBOUNDED,
    format_interval,
    format_value,
)
from machmeter.report.benchmarks import tables_network as network
from machmeter.report.benchmarks.protocols import protocol_table
from machmeter.report.benchmarks.selection import (
    best,
    estimates_of,
    most_threads,
    of_metric,
    parameter,
)
from machmeter.report.benchmarks.tables_consistency import consistency_tables
from machmeter.report.benchmarks.tables_places import (
    matrix_ancestors,
    page_ancestors,
    pair_ancestors,
)
from machmeter.report.benchmarks.timeline import Timeline, timelines
from machmeter.report.benchmarks.wave_model import WaveModel, wave_models
from machmeter.report.tables import Row, Table, knee_table
from machmeter.text.labels import parameter_text
from machmeter.text.layouts import binding_text, layout_text
from machmeter.text.results import value_text

_MOST_RANGES = 6
_MOST_CHANGES = 12


def benchmark_tables(result: RunResult, benchmark: str) -> tuple[Table, ...]:
    """What is shown before the table of all figures; none for most benchmarks."""
    made = _MADE[benchmark](result) if benchmark in _MADE else ()
    return (*protocol_table(result, benchmark), *made)


def _knees(result: RunResult) -> tuple[Table, ...]:
    return (knee_table(result),) if result.knees else ()


def _timelines(result: RunResult) -> tuple[Table, ...]:
    found = timelines(result)
    if not found:
        return ()
    changes = [row for one in found for row in _change_rows(one)]
    tables = [
        Table(
            "memory.timeline: the slices of the series drawn",
            (
                "binding", "threads", "slices", "5 %", "median", "95 %", "variation",
                "migrations", "changes", "CPUs", "pages",
            ),
            tuple(_timeline_row(one) for one in found),
            (1, 2, 3, 4, 5, 6, 7, 8),
            "One launch each. 5 %, median, 95 %: of the slices, in STREAM bytes. Variation: "
            "standard deviation over mean. Changes: of level. CPUs: those that threads were seen "
            "on. Pages: share of the sampled pages on each NUMA domain in the last slice.",
        )
    ]  # fmt: skip
    if changes:
        tables.append(
            Table(
                "memory.timeline: changes of level",
                ("binding", "at", "before", "after", "change and 95 % interval"),
                tuple(changes[:_MOST_CHANGES]),
                (1, 2, 3, 4),
                f"{len(changes) - _MOST_CHANGES} more are left out."
                if len(changes) > _MOST_CHANGES
                else "",
            )
        )
    return tuple(tables)


def _timeline_row(one: Timeline) -> Row:
    steady, layout, unit = stability(one.rates), one.shown.point.layout, STREAM_BYTES_PER_SECOND
    return (
        binding_text(layout.binding),
        str(layout.threads),
        f"{len(one.rates):,}",
        format_value(steady.p5, unit),
        format_value(steady.median, unit),
        format_value(steady.p95, unit),
        f"{100 * steady.coefficient_of_variation:.1f} %",
        f"{sum(one.migrations):,}",
        str(len(one.changes())),
        _cpus_text(one.cpus),
        ", ".join(f"{domain}: {100 * share:.0f} %" for domain, share in one.domains.items()) or "–",
    )


def _cpus_text(cpus: Sequence[int]) -> str:
    """Numbers as ranges, `0-3, 8`, the first few of them."""
    ranges: list[list[int]] = []
    for cpu in cpus:
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    texts = [f"{first}-{last}" if last > first else str(first) for first, last in ranges]
    shown = ", ".join(texts[:_MOST_RANGES]) or "–"
    return f"{shown}, …" if len(texts) > _MOST_RANGES else shown


def _change_rows(one: Timeline) -> list[Row]:
    unit = STREAM_BYTES_PER_SECOND
    binding = binding_text(one.shown.point.layout.binding)
    return [
        (
            binding,
            f"{at:.2f} s",
            format_value(change.before, unit),
            format_value(change.after, unit),
            f"{100 * change.change:+.1f} % [{100 * change.low:.1f}, {100 * change.high:.1f}]",
        )
        for at, change in one.changes()
    ]


def _products(result: RunResult) -> tuple[Table, ...]:
    """Of each matrix and schedule on all threads: rate, imbalance, what the partition costs."""
    found = most_threads(estimates_of(result, "sparse.spmv"))
    cases = dict.fromkeys((parameter(e, "matrix"), parameter(e, "schedule")) for e in found)
    rows = []
    for matrix, schedule in cases:
        of_case = [
            e
            for e in found
            if (parameter(e, "matrix"), parameter(e, "schedule")) == (matrix, schedule)
        ]
        rate = best(of_metric(of_case, "flops"))
        search = best(of_metric(of_case, "partition_time"))
        placement = best(of_metric(of_case, "placement_time"))
        rows.append(
            (
                parameter_text("matrix", matrix or ""),
                str(schedule),
                _text(rate),
                _text(best(of_metric(of_case, "bandwidth"))),
                _text(best(of_metric(of_case, "imbalance"))),
                _text(search),
                _text(placement),
                _cost_in_products(result, rate, placement or search),
            )
        )
    caption = "sparse.spmv: sharing out rows, and what the partition costs"
    columns = ("matrix", "schedule", "rate", "compulsory traffic", "imbalance", "partition",
               "placement", "in products")  # fmt: skip
    note = "Imbalance: slowest thread over the mean. The last column: how many products take as "
    note += "long as the partition, with the copy to its owners (placement), takes once."
    return (Table(caption, columns, tuple(rows), (2, 3, 4, 5, 6, 7), note),) if rows else ()


def _text(estimate: Estimate | None) -> str:
    return value_text(estimate) if estimate else "–"


def _cost_in_products(result: RunResult, rate: Estimate | None, cost: Estimate | None) -> str:
    """The partition's time over that of one product, whose operations the record holds."""
    if rate is None or cost is None:
        return "–"
    flops = [
        shown.record.quantities.get("flops", 0.0)
        for shown in result.shown
        if shown.point.benchmark == rate.point.benchmark
        and dict(shown.point.parameters) == dict(rate.point.parameters)
    ]
    if not flops or not flops[0] > 0 or rate.value <= 0:
        return "–"
    return f"{cost.value * rate.value / flops[0]:.1f}"


def _waves(result: RunResult) -> tuple[Table, ...]:
    models = wave_models(result)
    rows = tuple(_wave_row(model) for model in models)
    columns = ("arrays", "derivatives", "at once", "model", "speed-up", "measured",
               "speed-up measured", "of the model")  # fmt: skip
    note = (
        "The wave model: derivatives in waves over all domains, each wave taking the measured time "
        "of so many at once on one domain (after Schmidl et al. 2010). Speed-ups are over the "
        "time of one thread: as measured, else as many times that of one derivative; measured: all "
        "cores as outer threads."
    )
    caption = "apps.heatflow: measured against the wave model"
    return (Table(caption, columns, rows, (1, 3, 4, 6, 7), note),) if rows else ()


def _wave_row(model: WaveModel) -> Row:
    unit = model.measured.unit
    serial = model.serial_seconds
    modeled = measured = "–"
    if serial:
        modeled = f"{serial / model.seconds:.2f}x"
        measured = f"{serial / model.measured.value:.2f}x"
    high = model.high_seconds if model.high_seconds > model.low_seconds else UNBOUNDED
    low, seconds = model.low_seconds, model.seconds
    interval = format_interval(low, high, seconds, unit)
    return (
        model.arrays,
        str(model.units),
        f"{model.domains} x {model.slots}",
        f"{format_value(seconds, unit)} {interval}",
        modeled,
        f"{value_text(model.measured)}, {layout_text(model.measured.point.layout)}",
        measured,
        f"{100 * seconds / model.measured.value:.0f} %",
    )


_MADE: dict[str, Callable[[RunResult], tuple[Table, ...]]] = {
    "memory.latency": _knees,
    "memory.pages": page_ancestors,
    "memory.matrix": matrix_ancestors,
    "memory.timeline": _timelines,
    "threads.pairs": pair_ancestors,
    "sparse.spmv": _products,
    "apps.heatflow": _waves,
    "network.latency": network.messages,
    "network.pairs": network.pairs,
    "network.bandwidth": network.windows,
    "network.threads": network.threads,
    "network.overlap": network.overlap,
    "network.availability": network.availability,
    "network.collective": network.collectives,
    "network.collective-overlap": network.collective_overlap,
    "network.onesided": network.transfers,
    "network.atomics": network.atomics,
    "network.startup": network.startup,
    "network.consistency": consistency_tables,
    "shmem.transfer": network.shmem_transfers,
    "shmem.atomics": network.shmem_atomics,
    "shmem.alltoall": network.shmem_alltoall,
}
