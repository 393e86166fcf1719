"""What IMPACT-T prints of its steps and of its timers."""

from __future__ import annotations

import re

import pytest

from bench.comparisons.proxies.beam import PARTICLES, STEPS, impact_rate
from bench.rounds import ContenderError

SHARE = " avgpts:       {}\n"
STEP = " i,t,<z>:            1   0.0000000000000000        0.0000000000000000     \n"
# Of ten steps on two ranks.
TIMERS = """         kvdist    0.16541 seconds
          integ   14.26950 seconds
           map1    0.04332 seconds
      boundgeom    0.07267 seconds
         greenf    0.21790 seconds
         rhofas    0.06085 seconds
         ntrslo    0.28066 seconds
         ufield    0.64042 seconds
          ptsmv    0.32714 seconds
       guardsum    0.14549 seconds
      guardexch    0.21967 seconds
"""
ALONE = SHARE.format(200_000) + STEPS * STEP + TIMERS


def test_a_rate_is_by_what_the_proxy_does_too() -> None:
    seconds = 0.06085 + 0.14549 + 0.64042 - 0.21790 + 0.21967 + 0.28066 + 0.04332 + 0.32714
    assert impact_rate(ALONE, 1) == pytest.approx(PARTICLES * STEPS / seconds)
    assert impact_rate(2 * SHARE.format(100_000) + STEPS * STEP + TIMERS, 2) > 0


@pytest.mark.parametrize(
    ("output", "ranks"),
    [
        ("", 1),
        (ALONE, 2),
        (ALONE + STEP, 1),
        (ALONE.replace("200000", "100000"), 1),
        (ALONE.replace("greenf", ""), 1),
    ],
)
def test_another_problem_is_refused(output: str, ranks: int) -> None:
    with pytest.raises(ContenderError):
        impact_rate(output, ranks)


def test_a_program_without_a_clock_is_refused() -> None:
    still = re.sub(r"\d+\.\d+ seconds", "0.00000 seconds", ALONE)
    with pytest.raises(ContenderError, match="compile it with MPI"):
        impact_rate(still, 1)
