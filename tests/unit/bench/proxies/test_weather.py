"""What miniWeather prints of its time steps."""

from __future__ import annotations

import pytest

from bench.comparisons.proxies.weather import miniweather_rate
from bench.rounds import ContenderError

# Of two steps, by the program in C++ and by that in Fortran.
PRINTED = """nx_glob, nz_glob: 384 192
dx,dz: 52.083333 52.083333
dt: 0.173611
Elapsed Time: 0.000000 / 10.000000
Elapsed Time: 0.173611 / 10.000000
CPU Time: 2.4527 sec
d_mass: 4.492497e-14
d_te:   -1.871941e-05
"""
IN_FORTRAN = """ nx_glob, nz_glob:         384         192
 dx,dz:    52.083333333333336        52.083333333333336
 dt:   0.17361111111111110
 Elapsed Time:    0.0000000000000000       /    10.000000000000000
 Elapsed Time:   0.17361111111111110       /    10.000000000000000
 CPU Time:    1.7623210389999999
 d_mass:    4.6292222299286378E-014
"""
FILE = "*** OUTPUT ***\n"
FLUXES = 2 * 384 * 192 * 24


def test_a_rate_is_that_of_all_fluxes() -> None:
    assert miniweather_rate(PRINTED) == pytest.approx(FLUXES / 2.4527)
    assert miniweather_rate(IN_FORTRAN) == pytest.approx(FLUXES / 1.762321039)


@pytest.mark.parametrize(
    "output",
    ["", PRINTED.replace("384", "400"), 2 * PRINTED, PRINTED.replace("Elapsed", "")],
)
def test_another_problem_is_refused(output: str) -> None:
    with pytest.raises(ContenderError):
        miniweather_rate(output)


def test_one_file_at_the_start_is_outside_the_clock() -> None:
    assert miniweather_rate(FILE + PRINTED) == miniweather_rate(PRINTED)


@pytest.mark.parametrize(
    ("output", "what_to_do"),
    [
        (FILE + PRINTED.replace("CPU", FILE + "CPU"), "without output between steps"),
        (PRINTED.replace("2.4527", "0"), "for 10 s of simulated time"),
    ],
)
def test_a_time_of_other_than_the_steps_is_refused(output: str, what_to_do: str) -> None:
    with pytest.raises(ContenderError, match=what_to_do):
        miniweather_rate(output)
