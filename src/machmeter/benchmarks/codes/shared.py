"""What every code of one process declares: where its pages lie, what it counts, how it is shown."""

from __future__ import annotations

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.benchmark import (
    SCALING,
    WEAK,
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    ParameterRole,
    Subject,
    ThreadSweep,
)
from machmeter.model.display import (
    Along,
    CurveChart,
    CurveForm,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    Pick,
    Selection,
)
from machmeter.model.layout import Binding
from machmeter.model.units import BYTES, COUNTED_BYTES_PER_SECOND, SECONDS, SHARE, Unit

TOUCH = Parameter(
    "touch",
    ParameterKind.CHOICE,
    ("owner",),
    "who first touches its data, and so where pages lie: one thread, each its own share, or all in "
    "turns",
    choices=("owner", "one", "interleaved"),
    phrase="touched by {}",
)
SCALED = Parameter(
    SCALING,
    ParameterKind.CHOICE,
    ("strong",),
    "strong: the work is the same on any number of threads; weak: it grows with them, so that each "
    "has as much as one alone",
    choices=("strong", WEAK),
)
_SHARES = Definition(
    "Share of a part", "Of the time of an event, as the program marks it: by the whole team."
)


def code(  # noqa: PLR0913 - what differs between codes
    name: str,
    title: str,
    summary: str,
    parameters: tuple[Parameter, ...],
    *,
    stands_for: str,
    unit: Unit,
    amount: str,
    shares: tuple[tuple[str, str], ...] = (),
    counted_bytes: str = "",
) -> Benchmark:
    """A code, with the figures that all of them have; its event takes about half a second.

    unit, amount: of the figure of merit, which is that quantity of the record over the time of one
    event; shares: metrics and titles of parts of an event; counted_bytes: which bytes the program
    counts, as text, where it does.
    """
    works = tuple(one.name for one in parameters if one.role is ParameterRole.WORK)
    definitions = (_SHARES,) * bool(shares)
    if counted_bytes:
        definitions += (Definition("Counted traffic", f"Counted bytes: {counted_bytes}."),)
    return Benchmark(
        name=name,
        title=title,
        subject=Subject.APPLICATIONS,
        summary=summary,
        stands_for=stands_for,
        program=NODE_PROGRAM,
        parameters=parameters,
        metrics=(
            Metric("rate", "Rate", unit, Direction.HIGHER, Formula.RATE, amount=amount),
            Metric("time", "Time", SECONDS, Direction.LOWER, Formula.TIME, primary=False),
            Metric(
                "data",
                "Data",
                BYTES,
                Direction.LOWER,
                Formula.AMOUNT,
                amount="data_bytes",
                primary=False,
            ),
            *(
                Metric(
                    "bandwidth",
                    "Counted traffic",
                    COUNTED_BYTES_PER_SECOND,
                    Direction.HIGHER,
                    Formula.RATE,
                    amount=amount,
                    primary=False,
                )
                for amount in ("bytes",) * bool(counted_bytes)
            ),
            *(
                Metric(one, of, SHARE, Direction.HIGHER, Formula.AMOUNT, amount=one, primary=False)
                for one, of in shares
            ),
        ),
        display=_display(title, name.partition(".")[2], works, definitions),
        seconds_per_point=0.5,
        event_seconds=0.5,
        long_events=True,
        threads=ThreadSweep.POWERS,
        bindings=(Binding.CLOSE, Binding.SPREAD),
    )


def _display(
    title: str, short: str, amounts: tuple[str, ...], definitions: tuple[Definition, ...]
) -> Display:
    """Its rate on all cores and on one, and over threads."""
    largest = Selection(largest=amounts)
    return Display(
        headlines=(
            Headline(title=f"{title}, best layout", select=largest, pick=Pick.BEST),
            Headline(
                title=f"{title}, one thread",
                select=Selection(largest=amounts, layouts=(LayoutFilter.ONE_THREAD,)),
                pick=Pick.BEST,
            ),
        ),
        charts=(
            CurveChart(
                name=f"codes-{short}-rate",
                title=f"{title}: rate by {{along}}",
                description=f"Rate of {title} over {{along}}, a curve for each placement, with "
                "95 % bands.",
                value="rate",
                select=largest,
                along=(Along.THREADS,),
                form=CurveForm.PANELS,
            ),
        ),
        definitions=definitions,
    )
