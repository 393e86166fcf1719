"""Bandwidth: triad versus likwid-bench and STREAM, same arrays, CPUs and statistic."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from msgspec import Struct

from bench.comparisons.triad_rows import TRIADS, Lineup, lineup_rows, target_note
from bench.context import Bench, Outcome, empty_outcome
from bench.likwid import LikwidBench, knows_loops_of, runnable_loops, same_loop, widest
from bench.ours import OurPrograms, Statistic, one_point, rate_of
from bench.parsers import StreamRun, parse_stream
from bench.peers import find_program
from bench.rounds import Contender, ContenderError
from machmeter.benchmarks.memory.access import STREAM
from machmeter.machine.software import read_cpuinfo
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import make_point
from machmeter.model.units import format_bytes

TITLE = "triad"
SWEEPS = 20
_METRICS = {
    "mean": ("stream_bytes", Statistic.MEAN),
    "best": ("stream_bytes", Statistic.BEST_OF_NINE),
}


class Candidate(Struct, frozen=True):
    """A contender with its rate in one survey launch, STREAM bytes per second.

    loop: machmeter's kernel, or the family of likwid-bench's loop.
    """

    contender: Contender
    loop: str
    rate: float


def compare(bench: Bench) -> Outcome:
    """Launch every loop once, then the fastest and ours in rounds."""
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
    cpuinfo = read_cpuinfo()
    for lineup in lineups:
        outcome.rows += lineup_rows(lineup, measured, cpuinfo)
    outcome.failures += measured.failure_lines()
    outcome.notes += [target_note(cpuinfo)] if likwid else []
    outcome.notes.append(
        f"arrays of {format_bytes(size)}, {SWEEPS} sweeps per launch; likwid-bench prints the mean "
        "rate of its sweeps, STREAM the best one; ours is reduced the same way"
    )
    return outcome


def _first_stream(bench: Bench, outcome: Outcome) -> StreamRun | None:
    """One run of STREAM, for its array size, which is fixed when it is built."""
    path = bench.options.peer("stream")
    if not path:
        outcome.skipped.append("STREAM: no path given (--stream PATH)")
        return None
    try:
        return parse_stream(bench.peers().run_threads((path,), 1))
    except (ContenderError, ValueError) as error:
        outcome.failures.append(f"STREAM: {error}")
        return None


def _likwid(bench: Bench, ours: OurPrograms, size: int, outcome: Outcome) -> LikwidBench | None:
    path = find_program(bench.options.peer("likwid-bench"))
    if not path:
        outcome.skipped.append("likwid-bench is not installed (Debian: apt install likwid)")
        return None
    if not knows_loops_of(bench.machine.features):
        outcome.skipped.append("likwid-bench: its loops are known on x86 only")
        return None
    return LikwidBench(path, bench.peers(), ours, size, SWEEPS)


def _lineup(
    bench: Bench,
    ours: OurPrograms,
    likwid: LikwidBench | None,
    stream: StreamRun | None,
    size: int,
    threads: int,
    outcome: Outcome,
) -> Lineup:
    best = _our_triad(ours, "nontemporal", ours.huge_pages, threads, size)
    temporal = _our_triad(ours, "temporal", ours.default_pages, threads, size)
    contenders = [best, temporal]
    bench.notify(f"{TITLE}: finding the fastest loops, {threads} thread{'s' * (threads > 1)}")
    mine = _survey_ours(ours, threads, size, {best.name, temporal.name}, outcome)
    survey = _survey_likwid(bench, likwid, threads, outcome)
    theirs = list(survey.values())
    stream_loops = _fastest([c for c in theirs if c.loop == "stream"], 2)
    triad_loops = _fastest([c for c in theirs if c.loop == "triad"], 1)
    same = [survey[name].contender] if (name := same_loop(tuple(survey))) else []
    stream_loops += [c for c in same if c not in stream_loops]
    contenders += (*stream_loops, *triad_loops)
    others = [
        *_fastest([c for c in mine if c.loop == "triad"], 1),
        *_fastest([c for c in (*mine, *theirs) if c.loop not in TRIADS], 1),
    ]
    contenders += others
    # Names without results, so that rows say which loops failed.
    failed = tuple(f"likwid {family}, {threads}" for family in TRIADS) if likwid else ()
    stream_contender = _stream(bench, threads) if stream else None
    if stream_contender:
        contenders.append(stream_contender)
    return Lineup(
        threads=threads,
        page_bytes=ours.huge_pages,
        best=best.name,
        temporal=temporal.name,
        stream_loops=_names(stream_loops) or failed[:1],
        triad_loops=_names(triad_loops) or failed[1:],
        same_loop=next(iter(_names(same) or failed), ""),
        stream=stream_contender.name if stream_contender else "",
        others=_names(others),
        contenders=tuple(contenders),
    )


def _names(contenders: Sequence[Contender]) -> tuple[str, ...]:
    return tuple(contender.name for contender in contenders)


def _our_name(kernel: str, stores: str, page_bytes: int, threads: int) -> str:
    return f"machmeter {kernel} {stores}, {format_bytes(page_bytes)} pages, {threads}"


def _our_triad(
    ours: OurPrograms, stores: str, page_bytes: int, threads: int, size: int
) -> Contender:
    return _our_contender(
        ours, "triad", stores, Layout(threads_per_rank=threads, page_bytes=page_bytes), size
    )


def _our_contender(
    ours: OurPrograms, kernel: str, stores: str, layout: Layout, size: int
) -> Contender:
    name = _our_name(kernel, stores, layout.page_bytes, layout.threads_per_rank)
    parameters: dict[str, Value] = {"kernel": kernel, "stores": stores, "size": size}
    spec = one_point(STREAM.name, parameters, layout, samples=SWEEPS, seconds=5.0, name=name)
    return ours.point_contender(name, spec, _METRICS)


def _survey_ours(
    ours: OurPrograms, threads: int, size: int, known: set[str], outcome: Outcome
) -> list[Candidate]:
    """Every kernel of ours once, in one launch per page size."""
    found = []
    for page_bytes in sorted({ours.base_pages, ours.huge_pages}):
        layout = Layout(threads_per_rank=threads, page_bytes=page_bytes)
        kernels = (p.values for p in STREAM.parameters if p.name in ("kernel", "stores"))
        points = tuple(
            make_point(STREAM.name, {"kernel": kernel, "stores": stores, "size": size}, layout)
            for kernel, stores in product(*kernels)
            if (("kernel", kernel), ("stores", stores)) not in STREAM.skips
        )
        spec = LaunchSpec(
            f"survey {threads} {page_bytes}",
            STREAM.program.name,
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
                found.append(Candidate(contender, kernel, rate))
    return found


def _survey_likwid(
    bench: Bench, likwid: LikwidBench | None, threads: int, outcome: Outcome
) -> dict[str, Candidate]:
    """Every triad of likwid-bench once, its other loops with the widest vectors once, by name.

    A loop that fails is named and left out.
    """
    if likwid is None:
        return {}
    try:
        names = likwid.names()
    except (ContenderError, ValueError) as error:
        outcome.failures.append(f"likwid-bench: {error}")
        return {}
    features = bench.machine.features
    triads = runnable_loops(names, features, TRIADS)
    others = widest(runnable_loops(names, features, ("copy", "load", "store", "update")))
    found = {}
    for name in (*triads, *others):
        try:
            contender = likwid.contender(name, threads)
            rate = contender.start(0)["mean"]
        except (ContenderError, ValueError) as error:
            outcome.failures.append(f"likwid {name}, {threads}: {error}")
            continue
        found[name] = Candidate(contender, name.split("_", 1)[0], rate)
    return found


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
