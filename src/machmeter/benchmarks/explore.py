"""Any program of a user's as a benchmark: the wall time of its command."""

from __future__ import annotations

from machmeter.benchmarks.programs import USER_COPIES, USER_PROCESS, USER_RANKS
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
    ThreadSweep,
)
from machmeter.model.display import ChartKind, Display, Headline, Pick, TableKind
from machmeter.model.layout import WaitPolicy
from machmeter.model.units import RUNS_PER_SECOND, SECONDS

WALL = Metric("wall", "Wall time", SECONDS, Direction.LOWER, Formula.TIME)
COPIES_FACT = "copies"
THROUGHPUT = Metric(
    "throughput",
    "Throughput",
    RUNS_PER_SECOND,
    Direction.HIGHER,
    Formula.RATE,
    amount=COPIES_FACT,
)
COMMAND, FOLDER, INPUT = "command", "folder", "input"

_COMMAND = Parameter(COMMAND, ParameterKind.CHOICE, (), "the program and its arguments")
_FOLDER = Parameter(FOLDER, ParameterKind.CHOICE, (), "where it is started")
OF_DESCRIPTION = Parameter(
    INPUT,
    ParameterKind.CHOICE,
    (),
    "checksum of the command and the input files",
    phrase="input {}",
)
_SUMMARY = (
    "Wall time of a whole launch of a program, from the start of the first process to the end of "
    "the last one, with what the launcher takes."
)


def display_of(metric: Metric, hide: tuple[str, ...]) -> Display:
    """How layouts of a program are shown: by its first metric, without the parameters in `hide`."""
    return Display(
        headlines=(Headline(title=metric.title, pick=Pick.EACH, most=12, hide=hide),),
        charts=(ChartKind.LAYOUTS,),
        tables=(TableKind.LAYOUTS, TableKind.TIME_USE),
    )


_DISPLAY = display_of(WALL, (COMMAND, FOLDER))

PROCESS = Benchmark(
    name="explore.process",
    title="Program of one process",
    summary=_SUMMARY,
    program=USER_PROCESS,
    parameters=(_COMMAND, _FOLDER),
    metrics=(WALL,),
    display=_DISPLAY,
    threads=ThreadSweep.POWERS,
    wait_policies=(WaitPolicy.DEFAULT,),
)
RANKS = Benchmark(
    name="explore.ranks",
    title="Program of MPI ranks",
    summary=_SUMMARY,
    program=USER_RANKS,
    parameters=(_COMMAND, _FOLDER),
    metrics=(WALL,),
    display=_DISPLAY,
    ranks=RankSweep.EVERY,
    threads=ThreadSweep.POWERS,
    wait_policies=(WaitPolicy.DEFAULT,),
)
COPIES = Benchmark(
    name="explore.copies",
    title="Copies of a program side by side",
    summary="Copies of a program that are started together, over the wall time until the last one "
    "ends: how many runs of it the machine completes in a second. Each is a rank of the layout.",
    program=USER_COPIES,
    parameters=(_COMMAND, _FOLDER),
    metrics=(THROUGHPUT,),
    display=display_of(THROUGHPUT, (COMMAND, FOLDER)),
    ranks=RankSweep.EVERY,
    threads=ThreadSweep.POWERS,
    wait_policies=(WaitPolicy.DEFAULT,),
)
EXPLORED = (PROCESS, RANKS, COPIES)
