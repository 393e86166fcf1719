"""A weather model's step: flow in stages, sound in short steps, radiation, as WRF makes it."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.benchmark import Parameter, ParameterKind
from machmeter.model.units import CELL_UPDATES_PER_SECOND

NWP = proxy(
    name="proxies.nwp",
    title="Weather model",
    summary="A warm bubble in dry air, as WRF steps its dynamics (Wicker and Skamarock, Mon. Wea. "
    "Rev. 130, 2002): three stages of Runge-Kutta with fluxes of fifth order along x and y and of "
    "third order upwards, inside each one to four short steps for sound, and heat radiation in "
    "columns, of which half can have more work; ranks own rectangles of columns and exchange their "
    "edges after every short step, threads share a rectangle's rows. Mass, symmetry, each part by "
    "plain formulas and the last step done again are checked in every launch. WRF solves upward "
    "sound implicitly, this does not.",
    stands_for="weather models: WRF",
    parameters=(
        work(
            "cells",
            48,
            "columns along each of two edges",
            minimum=8,
            maximum=100_000,
            bytes_each=2300,
            most_bytes_each=12_000,
            power=2,
        ),
        work("levels", 32, "cells of a column, each 500 m", minimum=4, maximum=40),
        work("steps", 20, "time steps of 2 s"),
        Parameter(
            "imbalance",
            ParameterKind.COUNT,
            (0,),
            "percent of more radiation in the half of the columns where it is day: where ranks "
            "share the other edge evenly, half of them have all of it",
            maximum=1000,
            multiple=25,
        ),
        SCALING,
    ),
    unit=CELL_UPDATES_PER_SECOND,
    amount="cell_updates",
    counted_bytes="every array of a stage, a short step or a column once where it is read or "
    "written",
)
