"""A described application as an ordinary benchmark."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.explore import (
    COMMAND,
    FOLDER,
    INPUT,
    OF_DESCRIPTION,
    PROCESS,
    RANKS,
    WALL,
    display_of,
)
from machmeter.model.benchmark import Benchmark, Formula, Metric, Subject, ThreadSweep
from machmeter.model.plan.description import Description, Figure
from machmeter.model.units import FLOPS, SECONDS, SHARE, Unit

# Units of which a description names the base, and text takes prefixes, or writes a share in %.
_KNOWN = {"s": SECONDS, FLOPS.symbol: FLOPS, SHARE.name: SHARE}


def benchmark_of(description: Description, *, of_ranks: bool, typed: bool = False) -> Benchmark:
    """The benchmark `app.NAME`; of_ranks: whether an MPI starts the application; typed: whether its
    command was typed, and is not that of a file.

    Its metrics are the figures of merit, each the quantity of that name in a record, then the wall
    time. The first of these is the primary one.
    """
    base = RANKS if of_ranks else PROCESS
    program = description.title.partition(",")[0]
    figures = tuple(
        replace(_metric(one, "" if typed else program), primary=i == 0)
        for i, one in enumerate(description.figures)
    )
    return replace(
        base,
        name=f"app.{description.name}",
        title=description.title,
        summary=f"{description.title}: figures of merit that the application reports, and wall "
        "time of its whole launch, with what the launcher takes.",
        parameters=base.parameters if typed else (OF_DESCRIPTION,),
        metrics=(*figures, replace(WALL, primary=not figures)),
        display=display_of((*figures, WALL)[0], (COMMAND, FOLDER, INPUT)),
        subject=Subject.APPLICATIONS,
        threads=ThreadSweep.ONE if description.threads is False else base.threads,
        least_threads=description.least_threads,
    )


def _metric(figure: Figure, application: str) -> Metric:
    """application: its name, for runs of several; empty where there is one alone."""
    title = figure.name.replace("_", " ").replace("-", " ")
    symbol = figure.unit
    return Metric(
        name=figure.name,
        title=f"{application}: {title}" if application else title.capitalize(),
        unit=_KNOWN.get(symbol) or Unit(symbol, symbol, prefixes=False),
        direction=figure.direction,
        formula=Formula.AMOUNT,
        series=(),
        amount=figure.name,
    )
