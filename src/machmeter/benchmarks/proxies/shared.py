"""What every proxy declares: its scaling, what it counts, and how it is shown."""

from __future__ import annotations

from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    ParameterRole,
    RankSweep,
    Subject,
    ThreadSweep,
)
from machmeter.model.display import (
    Along,
    Counted,
    CurveChart,
    CurveForm,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    Pick,
    Selection,
)
from machmeter.model.plan.question import CountedParts, Phase
from machmeter.model.units import (
    BYTES,
    COUNTED_BYTES_PER_SECOND,
    FLOPS,
    MESSAGES,
    SECONDS,
    SHARE,
    Unit,
)

SCALING = Parameter(
    "scaling",
    ParameterKind.CHOICE,
    ("strong",),
    "strong: the size is that of the whole problem; weak: that of one rank's part",
    choices=("strong", "weak"),
)
COUNTED_PARTS = CountedParts(
    {
        Phase.COMPUTE: "compute_share",
        Phase.HALO: "halo_share",
        Phase.COLLECTIVE: "collective_share",
    },
    messages="halo_messages",
    imbalance="imbalance",
)
_PHASES = tuple(COUNTED_PARTS.shares.values())
_PHASE_DEFINITIONS = (
    Definition(
        "Share of a phase",
        "Time of the ranks in it over the time of all ranks, as the program marks it: computing, "
        "messages with neighbors, operations of all ranks. Waiting for another rank counts to the "
        "phase that waits.",
    ),
    Definition(
        "Imbalance",
        "The share of its computing that the busiest rank has more than the mean: 1 - mean / most.",
    ),
)


def proxy(  # noqa: PLR0913 - what differs between proxies
    name: str,
    title: str,
    summary: str,
    parameters: tuple[Parameter, ...],
    *,
    stands_for: str,
    unit: Unit,
    amount: str,
    counted_bytes: str,
) -> Benchmark:
    """A proxy, with the figures that all of them have; its event takes about half a second.

    unit, amount: of the figure of merit, which is that quantity of the record over the time of one
    event; counted_bytes: which bytes the program counts, as text.
    """
    works = tuple(one.name for one in parameters if one.role is ParameterRole.WORK)
    return Benchmark(
        name=name,
        title=title,
        subject=Subject.APPLICATIONS,
        summary=summary,
        stands_for=stands_for,
        program=MPI_PROGRAM,
        parameters=parameters,
        metrics=_metrics(unit, amount),
        display=_display(title, name.partition(".")[2], f"counted bytes: {counted_bytes}", works),
        seconds_per_point=0.5,
        event_seconds=0.5,
        ranks=RankSweep.EVERY,
        threads=ThreadSweep.ENDS,
    )


def work(  # noqa: PLR0913 - a parameter's own fields
    name: str,
    default: int,
    help_text: str,
    *,
    minimum: int = 1,
    maximum: int = 1_000_000,
    multiple: int = 1,
    bytes_each: int = 0,
    most_bytes_each: int = 0,
    power: int = 1,
    times: tuple[str, ...] = (),
) -> Parameter:
    """A count that says how much work an event is."""
    return Parameter(
        name,
        ParameterKind.COUNT,
        (default,),
        help_text,
        minimum=minimum,
        maximum=maximum,
        multiple=multiple,
        bytes_each=bytes_each,
        most_bytes_each=most_bytes_each,
        power=power,
        times=times,
        role=ParameterRole.WORK,
    )


def _metrics(unit: Unit, amount: str) -> tuple[Metric, ...]:
    return (
        Metric("rate", "Rate", unit, Direction.HIGHER, Formula.RATE, amount=amount),
        Metric("time", "Time", SECONDS, Direction.LOWER, Formula.TIME, primary=False),
        Metric(
            "flops",
            "Floating-point rate",
            FLOPS,
            Direction.HIGHER,
            Formula.RATE,
            amount="flops",
            primary=False,
        ),
        Metric(
            "bandwidth",
            "Counted traffic",
            COUNTED_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes",
            primary=False,
        ),
        Metric(
            "data",
            "Data of all ranks",
            BYTES,
            Direction.LOWER,
            Formula.AMOUNT,
            amount="data_bytes",
            primary=False,
        ),
        Metric(
            COUNTED_PARTS.messages,
            "Messages with neighbors",
            MESSAGES,
            Direction.LOWER,
            Formula.AMOUNT,
            amount=COUNTED_PARTS.messages,
            primary=False,
        ),
        _share("compute_share", "Computing", Direction.HIGHER),
        _share("halo_share", "Messages with neighbors", Direction.LOWER),
        _share("collective_share", "Operations of all ranks", Direction.LOWER),
        _share(COUNTED_PARTS.imbalance, "Imbalance", Direction.LOWER),
    )


def _share(name: str, title: str, direction: Direction) -> Metric:
    return Metric(name, title, SHARE, direction, Formula.AMOUNT, amount=name, primary=False)


def _display(name: str, short: str, model: str, amounts: tuple[str, ...]) -> Display:
    """Its rate on all cores and on one, over ranks and threads, and where the time goes."""
    largest = Selection(largest=amounts)
    return Display(
        headlines=(
            Headline(title=f"{name}, best layout", select=largest, pick=Pick.BEST),
            Headline(
                title=f"{name}, one core",
                select=Selection(
                    largest=amounts, layouts=(LayoutFilter.FEWEST_RANKS, LayoutFilter.ONE_THREAD)
                ),
                pick=Pick.BEST,
            ),
        ),
        charts=(
            CurveChart(
                name=f"proxies-{short}-rate",
                title=f"{name}: rate by {{along}}",
                description=f"Rate of {name} over {{along}}, a curve for each way to share out the "
                "cores, with 95 % bands.",
                value="rate",
                select=largest,
                along=(Along.RANKS, Along.THREADS),
                form=CurveForm.PANELS,
            ),
            CurveChart(
                name=f"proxies-{short}-phases",
                title=f"{name}: where the time goes, by {{along}}",
                description="Shares of computing, messages with neighbors and operations of all "
                "ranks over {along}, in panels.",
                value="{metric}",
                select=Selection(metrics=_PHASES, largest=amounts),
                along=(Along.RANKS, Along.THREADS),
                form=CurveForm.SHARES,
                panels=("metric",),
                precision=False,
            ),
        ),
        definitions=_PHASE_DEFINITIONS,
        counted=Counted(
            bytes="bandwidth", model=model, flops="flops", data="data", largest=amounts, name=name
        ),
    )
