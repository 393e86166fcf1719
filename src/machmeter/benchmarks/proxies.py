"""Proxies: programs of machmeter's own that do the kind of work that applications do."""

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
from machmeter.model.units import (
    ATOM_STEPS_PER_SECOND,
    COUNTED_BYTES_PER_SECOND,
    FLOPS,
    SECONDS,
    SHARE,
    Unit,
)

_SCALING = Parameter(
    "scaling",
    ParameterKind.CHOICE,
    ("strong",),
    "strong: the size is that of the whole problem; weak: that of one rank's part",
    choices=("strong", "weak"),
)
_PHASES = ("compute_share", "halo_share", "collective_share")
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


def _metrics(unit: Unit, title: str, amount: str) -> tuple[Metric, ...]:
    """The figure of merit of a proxy, then what every proxy counts."""
    return (
        Metric("rate", title, unit, Direction.HIGHER, Formula.RATE, amount=amount),
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
        _share("compute_share", "Computing", Direction.HIGHER),
        _share("halo_share", "Messages with neighbors", Direction.LOWER),
        _share("collective_share", "Operations of all ranks", Direction.LOWER),
        _share("imbalance", "Imbalance", Direction.LOWER),
    )


def _share(name: str, title: str, direction: Direction) -> Metric:
    return Metric(name, title, SHARE, direction, Formula.AMOUNT, amount=name, primary=False)


def _display(name: str, short: str, model: str, amounts: tuple[str, ...]) -> Display:
    """Its rate on all cores and on one, over ranks and threads, and where the time goes.

    model: what the counted bytes are.
    """
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
        counted=Counted(bytes="bandwidth", model=model, flops="flops", largest=amounts, name=name),
    )


LJMD = Benchmark(
    name="proxies.ljmd",
    title="Lennard-Jones liquid",
    subject=Subject.APPLICATIONS,
    summary="Molecular dynamics as LAMMPS and HOOMD do it, at the problem of LAMMPS's benchmark "
    "(Plimpton, J. Comp. Phys. 117, 1995): 4 cells^3 atoms at density 0.8442, cutoff 2.5, near "
    "pairs listed every 20 steps; ranks own bricks of space, threads share a brick's atoms. "
    "Energy, momentum, atoms and forces are checked in every launch.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (20,),
            "unit cells of four atoms along each of three edges",
            minimum=2,
            maximum=100_000,
            bytes_each=4000,
            power=3,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "steps",
            ParameterKind.COUNT,
            (100,),
            "time steps",
            minimum=1,
            maximum=1_000_000,
            role=ParameterRole.WORK,
        ),
        _SCALING,
        Parameter(
            "potential",
            ParameterKind.CHOICE,
            ("unshifted",),
            "the energy of a pair as it is, or shifted to 0 at the cutoff; forces are the same",
            choices=("unshifted", "shifted"),
        ),
    ),
    metrics=_metrics(ATOM_STEPS_PER_SECOND, "Rate", "atom_steps"),
    display=_display(
        "Lennard-Jones liquid",
        "ljmd",
        "counted bytes: positions, velocities and forces where they change, the list of pairs",
        ("cells", "steps"),
    ),
    seconds_per_point=0.5,
    ranks=RankSweep.EVERY,
    threads=ThreadSweep.ENDS,
)

PROXIES = (LJMD,)
