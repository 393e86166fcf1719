"""Transport in the finite-volume dynamical core of an atmosphere model, as CAM does it."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.units import CELL_UPDATES_PER_SECOND

FVCORE = proxy(
    name="proxies.fvcore",
    title="Atmosphere transport",
    summary="Transport of air and tracers in the finite-volume dynamical core of an atmosphere "
    "model such as CAM: flux-form semi-Lagrangian with monotone parabolas in longitude and "
    "latitude (Lin and Rood, Mon. Wea. Rev. 124, 1996), in a given wind (a rotation over the "
    "poles, a deformation that reverses, a divergent part) on a sphere of 2 latitudes^2 columns, "
    "whose layers are remapped every 4 steps (Lin, Mon. Wea. Rev. 132, 2004). Ranks own latitudes "
    "and levels, and change to longitudes and latitudes for the remap; threads share levels, "
    "latitudes and columns. Masses, a constant, bounds, the last step and the last remap are "
    "checked in every launch. The rate counts a cell once for air and once for each tracer.",
    stands_for="atmosphere models: CAM",
    parameters=(
        work(
            "latitudes",
            90,
            "rows of cells from pole to pole, with twice as many longitudes; each rank needs three",
            minimum=6,
            maximum=100_000,
            bytes_each=3328,
            power=2,
        ),
        work("levels", 26, "of each column; each rank needs one", maximum=10_000),
        work("tracers", 3, "beside the air; the first is constant", maximum=1_000),
        work("steps", 20, "of the transport"),
        SCALING,
    ),
    unit=CELL_UPDATES_PER_SECOND,
    amount="cell_updates",
    counted_bytes="each field once where a step or a remap reads or writes it",
)
