"""Products of matrices: machmeter versus NumPy's matmul on the very same BLAS, on the same CPUs."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

from msgspec import Struct

from bench.comparisons.arithmetic.fma import fma_contender, one_core_and_all
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, one_point
from bench.parsers import NumpyBlas, ProductRun, parse_numpy_blas, parse_product
from bench.rounds import Contender, ContenderError, RoundResults
from bench.verdicts import Row, Target, at_least, measured_row
from machmeter.analysis.stats.launch_value import interquartile_mean
from machmeter.benchmarks.compute import GEMM, PRECISIONS
from machmeter.machine.vector_widths import vector_widths
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.units import FLOPS

TITLE = "gemm"
SCRIPT = Path(__file__).with_name("gemm_peer.py")
# Large enough to share among cores, and on one core small enough for a fraction of a second.
ORDERS_OF_ONE, ORDERS_OF_ALL = (512, 1024), (1024, 2048)
SAMPLES, SECONDS = 50, 0.3
# NumPy requests huge pages for arrays of these bytes or more (numpy/_core/src/multiarray/alloc.c).
HUGE_FROM = 2**22
BYTES = {"double": 8, "single": 4}


class Case(Struct, frozen=True):
    """A product that both make."""

    order: int
    precision: str
    threads: int

    def text(self) -> str:
        """The case as rows and contenders name it."""
        threads = f"{self.threads} thread{'s' * (self.threads > 1)}"
        return f"{self.precision}, order {self.order}, {threads}"


class Lineup(Struct, frozen=True):
    """The contenders of one case; peak: compute.fma at the widest registers, if any."""

    case: Case
    ours: Contender
    numpy: Contender
    peak: Contender | None


def compare(bench: Bench) -> Outcome:
    """Both precisions on one core and on all, in rounds, with the peak rate of the same rounds."""
    outcome = empty_outcome("Products of matrices, the same BLAS called by machmeter and by NumPy")
    python = bench.options.peer("numpy-python") or sys.executable
    try:
        blas = parse_numpy_blas(bench.peers().run_unbound((python, str(SCRIPT), "library")))
    except (ContenderError, ValueError) as error:
        outcome.skipped.append(
            f"NumPy with a BLAS of its own in {python} (--numpy-python PATH; pip install numpy): "
            f"{error}"
        )
        return outcome
    lineups = _line_up(bench, python, blas)
    measured = bench.measure(TITLE, contenders_of(lineups))
    outcome.rows = [row for lineup in lineups for row in lineup_rows(lineup, measured)]
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        f"NumPy {blas.version}, matmul into an array that is there; both load {blas.file}, one "
        f"thread bound to each CPU, and multiply up to {SAMPLES} times or for {SECONDS} s a launch "
        f"after a warm-up: best is the fastest product, usual the interquartile mean"
    )
    outcome.notes.append(
        "the peak is the best 10 ms of compute.fma, versus the fastest product; NumPy's matrices "
        "are filled by one thread, machmeter's by all, which matters on several NUMA domains"
    )
    return outcome


def cases(threads: tuple[int, ...]) -> list[Case]:
    """What is compared on these numbers of threads, the smallest products first."""
    return [
        Case(order, precision, count)
        for count, precision in product(threads, PRECISIONS)
        for order in (ORDERS_OF_ALL if count > 1 else ORDERS_OF_ONE)
    ]


def contenders_of(lineups: list[Lineup]) -> list[Contender]:
    """All of them, a peak that several cases share once."""
    every = [one for lineup in lineups for one in (lineup.ours, lineup.numpy, lineup.peak)]
    return list({one.name: one for one in every if one}.values())


def lineup_rows(lineup: Lineup, measured: RoundResults) -> list[Row]:
    """Versus NumPy, the fastest product and the usual one, and versus the peak rate."""
    ours, numpy, target = lineup.ours.name, lineup.numpy.name, at_least(0.95)
    rivals = [
        ("NumPy", statistic, measured.values(numpy, statistic), target)
        for statistic in ("best", "usual")
    ]
    if lineup.peak:
        peak = measured.values(lineup.peak.name, "best mean")
        rivals.append(("peak of fma", "best", peak, Target()))
    return [
        measured_row(
            f"{lineup.case.text()}\n: {name}",
            measured.values(ours, statistic),
            values,
            unit=FLOPS,
            higher_is_better=True,
            statistic=statistic,
            target=goal,
        )
        for name, statistic, values, goal in rivals
    ]


def rates(order: int, seconds: tuple[float, ...]) -> dict[str, float]:
    """Operations per second of the fastest product and of the usual one."""
    flops = 2.0 * order**3
    return {"best": flops / min(seconds), "usual": flops / interquartile_mean(seconds)}


def check_product(run: ProductRun, blas: str, cpus: set[int]) -> None:
    """Raise ContenderError for a run on another library or other CPUs, or a wrong product."""
    if run.file != blas:
        raise ContenderError(f"NumPy loaded {run.file}, not {blas}")
    if run.threads != len(cpus) or sorted(run.cpus) != sorted(cpus):
        raise ContenderError(
            f"{run.threads} threads of NumPy worked on CPUs {sorted(run.cpus)}, machmeter's are on "
            f"{sorted(cpus)}"
        )
    if not run.error <= 1:
        raise ContenderError(f"wrong product: error {run.error} of its rounding bound")


def page_bytes(case: Case, ours: OurPrograms) -> int:
    """The pages that NumPy has for matrices of that size."""
    large = BYTES[case.precision] * case.order**2 >= HUGE_FROM
    never = ours.machine.memory.transparent_huge_pages == "never"
    return ours.huge_pages if large and not never else ours.default_pages


def _line_up(bench: Bench, python: str, blas: NumpyBlas) -> list[Lineup]:
    ours = bench.ours()
    widths, _ = vector_widths(bench.machine.architecture, bench.machine.features)
    return [
        Lineup(
            case,
            _ours(ours, case, blas.file),
            _numpy(bench, python, case, blas.file),
            fma_contender(ours, widths[-1], case.precision, case.threads) if widths else None,
        )
        for case in cases(one_core_and_all(bench))
    ]


def _ours(ours: OurPrograms, case: Case, blas: str) -> Contender:
    name = f"machmeter {case.text()}"
    layout = Layout(
        threads_per_rank=case.threads,
        wait_policy=WaitPolicy.DEFAULT,
        page_bytes=page_bytes(case, ours),
    )
    spec = one_point(
        GEMM.name,
        {"library": blas, "order": case.order, "precision": case.precision},
        layout,
        samples=SAMPLES,
        seconds=SECONDS,
        name=name,
    )

    def start(round_number: int) -> dict[str, float]:
        (point,) = ours.launch(spec, round_number)
        if point.attributes["file"] != blas:
            raise ContenderError(f"machmeter loaded {point.attributes['file']}, not {blas}")
        return rates(case.order, point.series["seconds"])

    return Contender(name, start)


def _numpy(bench: Bench, python: str, case: Case, blas: str) -> Contender:
    arguments = (case.precision, str(case.order), str(SAMPLES), str(SECONDS))
    threads = f"OPENBLAS_NUM_THREADS={case.threads}"
    command = ("/usr/bin/env", threads, python, str(SCRIPT), "run", *arguments)
    (assigned,) = bench.ours().assignment(Layout(threads_per_rank=case.threads)).cpus
    cpus = {cpu for thread in assigned for cpu in thread}

    def start(_round: int) -> dict[str, float]:
        run = parse_product(bench.peers().run_threads(command, case.threads))
        check_product(run, blas, cpus)
        return rates(case.order, run.seconds)

    return Contender(f"NumPy {case.text()}", start)
