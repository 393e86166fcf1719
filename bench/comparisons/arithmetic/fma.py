"""Peak floating-point rate: fused multiply-adds versus likwid-bench's peakflops loops."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import product

from msgspec import Struct

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, one_point
from bench.parsers import parse_likwid_flops
from bench.peers import find_program
from bench.processors import ZEN3_OR_4
from bench.rounds import Contender, ContenderError, RoundResults
from bench.verdicts import Row, Target, at_least, measured_row, only_on
from machmeter.analysis.stats.launch_value import launch_value
from machmeter.benchmarks.compute import FMA, PRECISIONS
from machmeter.machine.software import read_cpuinfo
from machmeter.machine.vector_widths import vector_widths
from machmeter.model.layout import Layout
from machmeter.model.units import FLOPS

TITLE = "fma"
# likwid-bench has loops of fused multiply-adds for these widths alone.
LOOPS = {
    ("256-bit", "double"): "peakflops_avx_fma",
    ("256-bit", "single"): "peakflops_sp_avx_fma",
    ("512-bit", "double"): "peakflops_avx512_fma",
    ("512-bit", "single"): "peakflops_sp_avx512_fma",
}
# Stretches of about 10 ms of either: 40 blocks of ours, and 10,000 sweeps over 16 kB a thread, that
# stay in the first cache. Of one launch of ours and of as many of likwid-bench as it has stretches,
# the best counts: longer ones would show what else runs on the machine.
STRETCHES = 5
BLOCKS, SECONDS = 40, 0.2
KILOBYTES, SWEEPS = 16, 10_000
UNITS = 2
_BITS = {"double": 64, "single": 32}


class Pair(Struct, frozen=True):
    """What is compared: machmeter and likwid-bench at one width, precision and thread count."""

    width: str
    precision: str
    threads: int
    ours: Contender
    peer: Contender


def compare(bench: Bench) -> Outcome:
    """Every width that both have, in both precisions, on one core and on all, in rounds."""
    outcome = empty_outcome("Peak floating-point rate, fused multiply-adds")
    path = find_program(bench.options.peer("likwid-bench"))
    if not path:
        outcome.skipped.append("likwid-bench is not installed (Debian: apt install likwid)")
        return outcome
    widths, lacking = vector_widths(bench.machine.architecture, bench.machine.features)
    outcome.skipped += [f"{width}: {reason}" for width, reason in lacking.items()]
    pairs = [
        Pair(
            width,
            precision,
            threads,
            fma_contender(bench.ours(), width, precision, threads),
            _likwid(bench, path, LOOPS[width, precision], threads),
        )
        for threads, width, precision in product(one_core_and_all(bench), widths, PRECISIONS)
        if (width, precision) in LOOPS
    ]
    measured = bench.measure(TITLE, [one for pair in pairs for one in (pair.ours, pair.peer)])
    limit = only_on(ZEN3_OR_4, at_least(0.95), read_cpuinfo())
    outcome.rows = [row for pair in pairs for row in pair_rows(pair, measured, limit)]
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        f"best of {STRETCHES} stretches of about 10 ms; the limit is the clock x {UNITS} units x "
        f"lanes x 2, clock and rate as a run reduces them (interquartile means of a launch); "
        f"likwid-bench sweeps over {KILOBYTES} kB a thread"
    )
    return outcome


def pair_rows(pair: Pair, measured: RoundResults, limit: Target) -> list[Row]:
    """Ours versus likwid-bench, and versus what the clock of the same launches allows."""
    what = f"{pair.width}, {pair.precision}, {pair.threads} thread{'s' * (pair.threads > 1)}"
    ours, loop = pair.ours.name, pair.peer.name.rsplit(",", 1)[0]
    rivals = (
        (loop, "best mean", measured.values(pair.peer.name, "best mean"), at_least(1.0)),
        ("limit by the clock", "usual", measured.values(ours, "limit"), limit),
    )
    return [
        measured_row(
            f"{what}\n: {name}",
            measured.values(ours, statistic),
            values,
            unit=FLOPS,
            higher_is_better=True,
            statistic=statistic,
            target=target,
        )
        for name, statistic, values, target in rivals
    ]


def best_mean(samples: Sequence[float]) -> float:
    """Seconds of one block, the lowest mean of a stretch. Raises ValueError where none is whole."""
    stretches = [samples[i : i + BLOCKS] for i in range(0, len(samples) - BLOCKS + 1, BLOCKS)]
    if not stretches:
        raise ValueError(f"a launch of machmeter has {len(samples)} samples of {BLOCKS} needed")
    return min(statistics.fmean(stretch) for stretch in stretches)


def peak_flops(clock: float, width: str, precision: str, threads: int) -> float:
    """What that many cores with two units each reach at that clock, operations per second."""
    lanes = int(width.removesuffix("-bit")) // _BITS[precision]
    return clock * UNITS * lanes * 2 * threads


def one_core_and_all(bench: Bench) -> tuple[int, ...]:
    """The thread counts that arithmetic is compared on."""
    return tuple(sorted({1, len(bench.machine.topology.usable_cores)}))


def fma_contender(ours: OurPrograms, width: str, precision: str, threads: int) -> Contender:
    """machmeter's: `best mean` of a stretch, `usual` of a launch, the `limit` of its clock."""
    name = f"machmeter {width} {precision}, {threads}"
    layout = Layout(threads_per_rank=threads)
    parameters: dict[str, int | str] = {"width": width, "precision": precision}
    spec = one_point(
        FMA.name, parameters, layout, samples=BLOCKS * STRETCHES, seconds=SECONDS, name=name
    )

    def start(round_number: int) -> dict[str, float]:
        (point,) = ours.launch(spec, round_number)
        rate, clock = (launch_value(metric, point).value for metric in FMA.metrics)
        return {
            "best mean": point.quantities["flops"] / best_mean(point.series["seconds"]),
            "usual": rate,
            "limit": peak_flops(clock, width, precision, threads),
        }

    return Contender(name, start)


def _likwid(bench: Bench, path: str, loop: str, threads: int) -> Contender:
    work = f"N:{KILOBYTES * threads}kB:{threads}"
    command = (path, "-t", loop, "-W", work, "-i", str(SWEEPS))
    (assigned,) = bench.ours().assignment(Layout(threads_per_rank=threads)).cpus
    cpus = {cpu for thread in assigned for cpu in thread}
    peers = bench.peers()

    def start(_round: int) -> dict[str, float]:
        runs = [parse_likwid_flops(peers.run_unbound(command)) for _ in range(STRETCHES)]
        for run in runs:
            if set(run.cpus) != cpus:
                raise ContenderError(
                    f"likwid-bench ran on CPUs {sorted(set(run.cpus))}, machmeter on {sorted(cpus)}"
                )
        return {"best mean": max(run.rate for run in runs)}

    return Contender(f"likwid {loop}, {threads}", start)
