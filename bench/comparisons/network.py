"""Messages between two ranks beside OSU and IMB: same MPI, same CPUs, same count, the mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurSide, Statistic, one_point
from bench.parsers import parse_imb, parse_osu
from bench.rounds import Contender, ContenderError, Measured
from bench.verdicts import Row, Target, center, ratio_row, touches
from machmeter.benchmarks.network import BANDWIDTH, LATENCY
from machmeter.model.launch import LaunchSpec
from machmeter.model.layout import Layout
from machmeter.model.units import (
    BYTES_PER_SECOND_ONE_WAY,
    SECONDS,
    Unit,
    format_bytes,
    format_value,
)

TITLE = "network"
MIB = 2**20
WINDOW = 64
# What the OSU programs time in one launch, by message size (above 8 KiB they take fewer).
OSU_ROUND_TRIPS = {8: 10_000, MIB: 1_000}
OSU_WINDOWS = 20
SIZES = (8, MIB)


class Pair(Struct, frozen=True):
    """Ours and a peer's, and what is compared."""

    what: str
    ours: str
    peer: str
    unit: Unit
    target: Target


def compare(bench: Bench) -> Outcome:
    """Half round trips at 8 B and 1 MiB, bandwidth of a window at 1 MiB."""
    outcome = empty_outcome(f"Messages between two ranks, MPI {bench.options.mpi}")
    contenders: list[Contender] = []
    pairs: list[Pair] = []
    target = touches(0.97, 1.03)
    if _given(bench, outcome, "osu-latency", "osu_latency"):
        for size in SIZES:
            contenders += [_our_latency(bench, size), _osu(bench, "osu-latency", size)]
            pairs.append(_latency_pair(size, contenders, target))
    if _given(bench, outcome, "osu-bw", "osu_bw"):
        contenders += [_our_bandwidth(bench), _osu(bench, "osu-bw", MIB)]
        ours, peer = contenders[-2].name, contenders[-1].name
        what = f"bandwidth, one way, {format_bytes(MIB)}\n: osu_bw"
        pairs.append(Pair(what, ours, peer, BYTES_PER_SECOND_ONE_WAY, target))
    if _given(bench, outcome, "imb", "IMB-MPI1"):
        for size in SIZES:
            contenders += [_our_latency(bench, size), _imb(bench, size)]
            pairs.append(_latency_pair(size, contenders, Target()))
    if not contenders:
        return outcome
    measured = bench.measure(TITLE, list({c.name: c for c in contenders}.values()))
    outcome.rows += _rows(pairs, measured)
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        "the peers take their default counts, machmeter about as many round trips and windows as "
        f"OSU; reused buffers on both sides; windows of {WINDOW} messages"
    )
    return outcome


def _rows(pairs: list[Pair], measured: Measured) -> list[Row]:
    rows = []
    for pair in pairs:
        a, b = measured.values(pair.ours, "mean"), measured.values(pair.peer, "mean")
        if len(a.keys() & b.keys()) >= 2:
            rows.append(
                ratio_row(
                    pair.what,
                    a,
                    b,
                    higher_is_better=pair.unit != SECONDS,
                    statistic="mean",
                    target=pair.target,
                    text=(format_value(center(a), pair.unit), format_value(center(b), pair.unit)),
                )
            )
    return rows


def _given(bench: Bench, outcome: Outcome, option: str, program: str) -> bool:
    if bench.options.peer(option):
        return True
    outcome.left_out.append(f"{program}: no path given (--{option} PATH)")
    return False


def _latency_pair(size: int, contenders: list[Contender], target: Target) -> Pair:
    ours, peer = contenders[-2].name, contenders[-1].name
    program = peer.split(",", 1)[0]
    return Pair(f"half round trip, {format_bytes(size)}\n: {program}", ours, peer, SECONDS, target)


def _our_latency(bench: Bench, size: int) -> Contender:
    side = bench.ours(bench.options.mpi)
    name = f"machmeter half round trip, {format_bytes(size)}"
    batch = _round_trips_of_a_sample(side, _latency_spec(side, size, 100, f"{name}, survey"))
    spec = _latency_spec(side, size, max(1, OSU_ROUND_TRIPS[size] // batch), name)
    return side.point_launcher(name, spec, {"mean": ("", Statistic.MEAN)})


def _latency_spec(side: OurSide, size: int, samples: int, name: str) -> LaunchSpec:
    layout = Layout(ranks_per_node=2, page_bytes=side.default_pages)
    return one_point(LATENCY.name, {"size": size}, layout, samples=samples, seconds=5.0, name=name)


def _round_trips_of_a_sample(side: OurSide, spec: LaunchSpec) -> int:
    """How many machmeter times together; 1 where its launch fails, as the rounds will tell."""
    try:
        (point,) = side.launch(spec, 0)
    except ContenderError:
        return 1
    return point.batch


def _our_bandwidth(bench: Bench) -> Contender:
    name = f"machmeter bandwidth, {format_bytes(MIB)}"
    side = bench.ours(bench.options.mpi)
    spec = one_point(
        BANDWIDTH.name,
        {"size": MIB, "direction": "one-way", "window": WINDOW},
        Layout(ranks_per_node=2, page_bytes=side.default_pages),
        samples=OSU_WINDOWS,
        seconds=5.0,
        name=name,
    )
    return side.point_launcher(name, spec, {"mean": ("bytes_one_way", Statistic.MEAN)})


def _osu(bench: Bench, option: str, size: int) -> Contender:
    path = str(Path(bench.options.peer(option)).absolute())
    command = (path, "-m", f"{size}:{size}")
    name = f"{option.replace('-', '_')}, {format_bytes(size)}"
    return Contender(name, _reader(bench, command, size, parse_osu))


def _imb(bench: Bench, size: int) -> Contender:
    path = str(Path(bench.options.peer("imb")).absolute())
    power = size.bit_length() - 1
    command = (path, "PingPong", "-msglog", f"{power}:{power}")
    return Contender(
        f"IMB-MPI1 PingPong, {format_bytes(size)}", _reader(bench, command, size, parse_imb)
    )


def _reader(
    bench: Bench,
    command: tuple[str, ...],
    size: int,
    parse: Callable[[str], dict[int, float]],
) -> Callable[[int], dict[str, float]]:
    peers = bench.peers(bench.options.mpi)

    def start(_round: int) -> dict[str, float]:
        table = parse(peers.run_ranks(command))
        if size not in table:
            raise ContenderError(f"its table has no line for {size} bytes")
        return {"mean": table[size]}

    return start
