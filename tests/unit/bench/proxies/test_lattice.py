"""What MILC prints of its solves."""

from __future__ import annotations

import pytest

from bench.comparisons.proxies.lattice import milc_rate
from bench.rounds import ContenderError

LAYOUT = "ON EACH NODE (RANK) 16 x 16 x 16 x {}\n"
SOLVE = "CONGRAD5: time = {} (fn D) masses = 1 iters = 57 mflops = {}\n"


def test_the_rate_is_of_all_solves_and_ranks() -> None:
    solves = SOLVE.format("3.0e+00", "1.0e+03") + SOLVE.format("1.0e+00", "2.0e+03")
    assert milc_rate(LAYOUT.format(8) + solves, 2) == pytest.approx(2.5e9)


@pytest.mark.parametrize(
    ("output", "ranks"),
    [
        (LAYOUT.format(16), 1),
        (SOLVE.format(1, 1), 1),
        (LAYOUT.format(8) + SOLVE.format(1, 1), 1),
    ],
)
def test_another_problem_is_refused(output: str, ranks: int) -> None:
    with pytest.raises(ContenderError):
        milc_rate(output, ranks)
