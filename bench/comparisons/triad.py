"""Bandwidth: triad beside likwid-bench and STREAM, same arrays, same CPUs, same statistic."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from msgspec import Struct

from bench.context import Bench, Outcome, empty_outcome
from bench.likwid import LikwidBench, runnable_loops, same_loop, widest
from bench.ours import OurSide, Statistic, one_point, rate_of
from bench.parsers import StreamRun, parse_stream
from bench.peers import find_program
from bench.rounds import Contender, ContenderError, Measured
from bench.verdicts import Row, Target, at_least, best_of, center, ratio_row, within
from machmeter.benchmarks.memory import STREAM
from machmeter.model.benchmark import Value
from machmeter.model.launch import LaunchSpec
from machmeter.model.layout import BASE_PAGE, HUGE_PAGE, Layout
from machmeter.model.point import make_point
from machmeter.model.units import STREAM_BYTES_PER_SECOND, format_bytes, format_value

TITLE = "triad"
SWEEPS = 20
_FIGURES = {
    "mean": ("stream_bytes", Statistic.MEAN),
    "best": ("stream_bytes", Statistic.BEST),
}


class Candidate(Struct, frozen=True):
    """A contender that one survey launch found this fast, STREAM bytes per second."""

    contender: Contender
    triad: bool
    rate: float


class Lineup(Struct, frozen=True):
    """Who runs with one thread count; names are empty where a peer is missing."""

    threads: int
    best: str
    temporal: str
    likwid_triads: tuple[str, ...]
    same_loop: str
    stream: str
    others: tuple[str, ...]
    contenders: tuple[Contender, ...]


def compare(bench: Bench) -> Outcome:
    """Survey every loop once, then launch the fastest beside ours in rounds."""
    outcome = empty_outcome("Triad, STREAM bytes")
    ours = bench.ours()
    stream = _first_stream(bench, outcome)
    size = stream.array_bytes // 512 * 512 if stream else bench.options.array_bytes
    likwid = _likwid(bench, ours, size, outcome)
    if likwid is None and stream is None:
        return outcome
    lineups = [
        _lineup(bench, ours, likwid, stream, size, threads, outcome)
        for threads in bench.thread_counts()
    ]
    measured = bench.measure(TITLE, [c for lineup in lineups for c in lineup.contenders])
    for lineup in lineups:
        outcome.rows += _rows(lineup, measured)
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        f"arrays of {format_bytes(size)}, {SWEEPS} sweeps a launch; likwid-bench prints the mean "
        "rate of its sweeps, STREAM the best one; ours is reduced the same way"
    )
    return outcome


def _first_stream(bench: Bench, outcome: Outcome) -> StreamRun | None:
    """STREAM's arrays were sized when it was built: it says their size."""
    path = bench.options.peer("stream")
    if not path:
        outcome.left_out.append("STREAM: no path given (--stream PATH)")
        return None
    try:
        return parse_stream(bench.peers().run_threads((path,), 1))
    except (ContenderError, ValueError) as error:
        outcome.failures.append(f"STREAM: {error}")
        return None


def _likwid(bench: Bench, ours: OurSide, size: int, outcome: Outcome) -> LikwidBench | None:
    path = find_program(bench.options.peer("likwid-bench"))
    if not path:
        outcome.left_out.append("likwid-bench is not installed (Debian: apt install likwid)")
        return None
    return LikwidBench(path, bench.peers(), ours, size, SWEEPS)


def _lineup(
    bench: Bench,
    ours: OurSide,
    likwid: LikwidBench | None,
    stream: StreamRun | None,
    size: int,
    threads: int,
    outcome: Outcome,
) -> Lineup:
    best = _our_triad(ours, "nontemporal", HUGE_PAGE, threads, size)
    temporal = _our_triad(ours, "temporal", ours.default_pages, threads, size)
    contenders = [best, temporal]
    bench.tell(f"{TITLE}: looking for the fastest loops, {threads} thread{'s' * (threads > 1)}")
    mine = _survey_ours(ours, threads, size, {best.name, temporal.name}, outcome)
    theirs, same = _survey_likwid(bench, likwid, threads, outcome)
    likwid_triads = _fastest([c for c in theirs if c.triad], 2)
    contenders += likwid_triads
    if same and same.name not in {c.name for c in contenders}:
        contenders.append(same)
    others = [
        *_fastest([c for c in mine if c.triad], 1),
        *_fastest([c for c in (*mine, *theirs) if not c.triad], 1),
    ]
    contenders += others
    stream_contender = _stream(bench, threads) if stream else None
    if stream_contender:
        contenders.append(stream_contender)
    return Lineup(
        threads=threads,
        best=best.name,
        temporal=temporal.name,
        likwid_triads=tuple(c.name for c in (*likwid_triads, *((same,) if same else ()))),
        same_loop=same.name if same else "",
        stream=stream_contender.name if stream_contender else "",
        others=tuple(c.name for c in others),
        contenders=tuple(contenders),
    )


def _our_name(kernel: str, stores: str, page_bytes: int, threads: int) -> str:
    return f"machmeter {kernel} {stores}, {format_bytes(page_bytes)} pages, {threads}"


def _our_triad(ours: OurSide, stores: str, page_bytes: int, threads: int, size: int) -> Contender:
    return _our_contender(
        ours, "triad", stores, Layout(threads_per_rank=threads, page_bytes=page_bytes), size
    )


def _our_contender(ours: OurSide, kernel: str, stores: str, layout: Layout, size: int) -> Contender:
    name = _our_name(kernel, stores, layout.page_bytes, layout.threads_per_rank)
    parameters: dict[str, Value] = {"kernel": kernel, "stores": stores, "size": size}
    spec = one_point(STREAM.name, parameters, layout, samples=SWEEPS, seconds=5.0, name=name)
    return ours.point_launcher(name, spec, _FIGURES)


def _survey_ours(
    ours: OurSide, threads: int, size: int, known: set[str], outcome: Outcome
) -> list[Candidate]:
    """Every kernel of ours once, all in one launch for each page size."""
    found = []
    for page_bytes in (BASE_PAGE, HUGE_PAGE):
        layout = Layout(threads_per_rank=threads, page_bytes=page_bytes)
        kernels = (p.values for p in STREAM.parameters if p.name in ("kernel", "stores"))
        points = tuple(
            make_point(STREAM.name, {"kernel": kernel, "stores": stores, "size": size}, layout)
            for kernel, stores in product(*kernels)
            if (("kernel", kernel), ("stores", stores)) not in STREAM.skips
        )
        spec = LaunchSpec(
            f"survey {threads} {page_bytes}",
            STREAM.executable,
            STREAM.name,
            layout,
            points,
            seconds_per_point=0.1,
            samples=SWEEPS,
        )
        try:
            records = ours.launch(spec, 0)
        except ContenderError as error:
            outcome.failures.append(f"machmeter, {spec.name}: {error}")
            continue
        for record in records:
            kernel, stores = str(record.parameters["kernel"]), str(record.parameters["stores"])
            contender = _our_contender(ours, kernel, stores, layout, size)
            if contender.name not in known:
                rate = rate_of(record, "stream_bytes", Statistic.MEAN)
                found.append(Candidate(contender, kernel == "triad", rate))
    return found


def _survey_likwid(
    bench: Bench, likwid: LikwidBench | None, threads: int, outcome: Outcome
) -> tuple[list[Candidate], Contender | None]:
    """Every triad of likwid-bench once, its other loops with the widest vectors once."""
    if likwid is None:
        return [], None
    found, same = [], None
    try:
        names = likwid.names()
        features = bench.machine.features
        triads = runnable_loops(names, features, ("stream", "triad"))
        others = widest(runnable_loops(names, features, ("copy", "load", "store", "update")))
        contenders = {name: likwid.contender(name, threads) for name in (*triads, *others)}
    except (ContenderError, ValueError) as error:
        outcome.failures.append(f"likwid-bench: {error}")
        return [], None
    for name, contender in contenders.items():
        try:
            rate = contender.start(0)["mean"]
        except (ContenderError, ValueError) as error:
            outcome.failures.append(f"{contender.name}: {error}")
            continue
        found.append(Candidate(contender, name.startswith(("stream", "triad")), rate))
        if name == same_loop(triads):
            same = contender
    return found, same


def _fastest(candidates: list[Candidate], count: int) -> list[Contender]:
    ranked = sorted(candidates, key=lambda candidate: candidate.rate, reverse=True)
    return [candidate.contender for candidate in ranked[:count]]


def _stream(bench: Bench, threads: int) -> Contender:
    path, peers = bench.options.peer("stream"), bench.peers()

    def start(_round: int) -> dict[str, float]:
        run = parse_stream(peers.run_threads((path,), threads))
        if run.threads != threads:
            raise ContenderError(f"STREAM ran {run.threads} threads, not {threads}")
        return {"best": run.best_triad, "mean": run.mean_triad}

    return Contender(f"STREAM triad, {threads}", start)


def _rows(lineup: Lineup, measured: Measured) -> list[Row]:
    """The rows of one thread count, those that both sides have figures for."""
    threads = f"{lineup.threads} thread{'s' * (lineup.threads > 1)}"
    fast, plain = f"non-temporal, 2 MiB pages, {threads}", f"temporal, {threads}"
    likwid = {n: v for n in lineup.likwid_triads if len(v := measured.values(n, "mean")) >= 2}
    rivals = {
        n: v
        for n in (*lineup.likwid_triads, lineup.stream, lineup.temporal, *lineup.others)
        if len(v := measured.values(n, "mean")) >= 2
    }
    triads = {n: v for n, v in rivals.items() if _is_triad(n)}
    wanted: list[tuple[str, str, str, str, Target]] = []
    if likwid:
        wanted.append((fast, lineup.best, best_of(likwid), "mean", at_least(1.3)))
    if triads:
        wanted.append(
            (f"{fast}, highest triad", lineup.best, best_of(triads), "mean", at_least(0.95))
        )
    if rivals:
        wanted.append((f"{fast}, highest loop", lineup.best, best_of(rivals), "mean", Target()))
    wanted += [
        (plain, lineup.temporal, lineup.same_loop, "mean", within(0.05)),
        (plain, lineup.temporal, lineup.stream, "best", within(0.05)),
        (fast, lineup.best, lineup.stream, "best", Target()),
    ]
    return [
        _row(measured, *row) for row in wanted if all(measured.has(n, row[3]) for n in row[1:3])
    ]


def _is_triad(name: str) -> bool:
    return any(word.startswith(("triad", "stream")) for word in name.split()[1:2])


def _row(
    measured: Measured, what: str, ours: str, peer: str, statistic: str, target: Target
) -> Row:
    a, b = measured.values(ours, statistic), measured.values(peer, statistic)
    shown_peer = peer.rsplit(",", 1)[0]
    return ratio_row(
        f"{what}\n: {shown_peer}",
        a,
        b,
        higher_is_better=True,
        statistic=statistic,
        target=target,
        text=_texts(a, b),
    )


def _texts(a: Mapping[int, float], b: Mapping[int, float]) -> tuple[str, str]:
    unit = STREAM_BYTES_PER_SECOND
    return format_value(center(a), unit), format_value(center(b), unit)
