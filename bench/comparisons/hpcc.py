"""HPC Challenge as Debian ships it: triad in its small arrays, ping-pong over its own MPI."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point
from bench.parsers import parse_hpcc
from bench.peers import PeerPrograms, find_program
from bench.rounds import Contender, ContenderError, RoundResults
from bench.verdicts import Row, Target, measured_row
from machmeter.benchmarks.memory.access import STREAM
from machmeter.benchmarks.network.messages import LATENCY
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.units import (
    BYTES_PER_SECOND_ONE_WAY,
    SECONDS,
    STREAM_BYTES_PER_SECOND,
    Unit,
    format_bytes,
)

TITLE = "hpcc"
NAME = "hpcc"
RANKS = 2
# hpcc times ten sweeps and skips the first.
SWEEPS = 10
ORDER = 1000
LARGEST_OUTPUT = 2**20
SMALL_MESSAGE = 8
LARGE_MESSAGE = 2_000_000

# HPCC's README explains the lines; only order and grid matter here.
_INPUT = f"""HPLinpack benchmark input file
written by machmeter's bench
HPL.out output file name
8       device out
1       problem sizes
{ORDER} order of the matrix
1       block sizes
80      block size
0       process mapping
1       process grids
1       rows of processes
{RANKS} columns of processes
16.0    threshold
1       panel factorizations
2       panel factorization
1       stopping criteria
4       columns to stop at
1       panels in recursion
2       panels
1       recursive factorizations
1       recursive factorization
1       broadcasts
1       broadcast
1       look-ahead depths
1       look-ahead depth
2       swapping
64      swapping threshold
0       L1 form
0       U form
1       equilibration
8       alignment in doubles
-----   separator
0       further orders for PTRANS
1200    further orders
0       further block sizes for PTRANS
40      further block sizes
"""


def compare(bench: Bench) -> Outcome:
    """Everything that hpcc and machmeter both measure, both with hpcc's own MPI."""
    outcome = empty_outcome("HPC Challenge, small, its own MPI")
    path = find_program(bench.options.peer("hpcc"))
    if not path:
        outcome.skipped.append("hpcc is not installed (Debian: apt install hpcc)")
        return outcome
    if max(bench.thread_counts()) < RANKS:
        outcome.skipped.append("hpcc: needs two cores")
        return outcome
    try:
        peers = bench.peers_with_their_own_mpi(bench.options.hpcc_mpi)
        results = _run_hpcc(peers, path)
    except (MachineLacksError, ContenderError, ValueError) as error:
        outcome.failures.append(
            f"hpcc or its MPI in {bench.options.hpcc_mpi} (see --hpcc-mpi): {error}"
        )
        return outcome
    array_bytes = int(results["array_bytes"]) // 512 * 512
    contenders = [
        Contender(NAME, lambda _round: _run_hpcc(peers, path)),
        *_our_triads(bench.ours(), array_bytes),
        *_our_latencies(bench, outcome),
    ]
    measured = bench.measure(TITLE, contenders)
    outcome.rows += _rows(measured, array_bytes, {contender.name for contender in contenders})
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        f"hpcc runs at order {ORDER}: arrays of {format_bytes(array_bytes)} fit in caches; its "
        "ring results have no counterpart in machmeter yet and are not compared"
    )
    return outcome


def _rows(measured: RoundResults, array_bytes: int, launched: Collection[str]) -> list[Row]:
    return [
        measured_row(
            what,
            measured.values(contender, metric),
            measured.values(NAME, metric),
            unit=unit,
            higher_is_better=unit != SECONDS,
            statistic="best",
            target=Target(),
        )
        for what, contender, metric, unit in _pairs(array_bytes)
        if contender in launched
    ]


def _pairs(array_bytes: int) -> tuple[tuple[str, str, str, Unit], ...]:
    size = format_bytes(array_bytes)
    return (
        (f"triad, {size}, one process", _triad_name(1), "single_triad", STREAM_BYTES_PER_SECOND),
        (f"triad, {size}, each of two", _triad_name(2), "star_triad", STREAM_BYTES_PER_SECOND),
        ("half round trip, 8 B", _latency_name(SMALL_MESSAGE), "latency", SECONDS),
        (
            f"ping-pong bandwidth, {LARGE_MESSAGE} B",
            _latency_name(LARGE_MESSAGE),
            "bandwidth",
            BYTES_PER_SECOND_ONE_WAY,
        ),
    )


def _triad_name(threads: int) -> str:
    return f"machmeter triad, {threads}"


def _latency_name(size: int) -> str:
    return f"machmeter half round trip, {size} B"


def _our_triads(ours: OurPrograms, array_bytes: int) -> list[Contender]:
    """Two threads share twice the bytes, so that each has as many as a process of hpcc."""
    made = []
    for threads, metric in ((1, "single_triad"), (2, "star_triad")):
        layout = Layout(threads_per_rank=threads, page_bytes=ours.default_pages)
        name = _triad_name(threads)
        spec = one_point(
            STREAM.name,
            {"kernel": "triad", "stores": "temporal", "size": threads * array_bytes},
            layout,
            samples=SWEEPS,
            seconds=5.0,
            name=name,
        )
        whole = ours.point_contender(name, spec, {"best": ("stream_bytes", Statistic.BEST_OF_NINE)})
        made.append(Contender(name, _scaled(whole, metric, 1 / threads)))
    return made


def _scaled(whole: Contender, metric: str, factor: float) -> Callable[[int], dict[str, float]]:
    return lambda number: {metric: whole.start(number)["best"] * factor}


def _our_latencies(bench: Bench, outcome: Outcome) -> list[Contender]:
    """Only with the MPI that hpcc uses: another one would compare libraries."""
    try:
        ours = bench.ours(bench.options.hpcc_mpi)
    except MachineLacksError:
        outcome.skipped.append(
            f"ping-pong: machmeter cannot be compiled with hpcc's MPI in {bench.options.hpcc_mpi}; "
            "Debian: apt install libopenmpi-dev"
        )
        return []
    return [_our_latency(ours, size) for size in (SMALL_MESSAGE, LARGE_MESSAGE)]


def _our_latency(ours: OurPrograms, size: int) -> Contender:
    name = _latency_name(size)
    spec = one_point(
        LATENCY.name,
        {"size": size},
        Layout(ranks_per_node=RANKS, page_bytes=ours.default_pages),
        samples=200,
        seconds=1.0,
        name=name,
    )
    best = ours.point_contender(name, spec, {"best": ("", Statistic.BEST)})
    if size == SMALL_MESSAGE:
        return Contender(name, lambda number: {"latency": best.start(number)["best"]})
    return Contender(name, lambda number: {"bandwidth": size / best.start(number)["best"]})


def _run_hpcc(peers: PeerPrograms, path: str) -> dict[str, float]:
    """One launch of hpcc in a folder of its own. Raises ContenderError or ValueError."""
    with tempfile.TemporaryDirectory(prefix="machmeter-hpcc-") as name:
        folder = Path(name)
        (folder / "hpccinf.txt").write_text(_INPUT, encoding="utf-8")
        peers.run_ranks((path,), RANKS, folder)
        try:
            with (folder / "hpccoutf.txt").open(encoding="utf-8", errors="replace") as file:
                numbers = parse_hpcc(file.read(LARGEST_OUTPUT))
        except OSError as error:
            raise ContenderError(f"hpcc wrote no hpccoutf.txt: {error.strerror}") from error
    try:
        return {
            "array_bytes": numbers["STREAM_VectorSize"] * 8,
            "single_triad": numbers["SingleSTREAM_Triad"] * 1e9,
            "star_triad": numbers["StarSTREAM_Triad"] * 1e9,
            "latency": numbers["AvgPingPongLatency_usec"] * 1e-6,
            "bandwidth": numbers["AvgPingPongBandwidth_GBytes"] * 1e9,
        }
    except KeyError as error:
        raise ContenderError(f"the summary of hpcc lacks {error}") from error
