"""What LAMMPS prints of its loop of time steps."""

from __future__ import annotations

import pytest

from bench.comparisons.proxies.liquid import lammps_rate
from bench.rounds import ContenderError

PRINTED = "Loop time of {} on 1 procs for {} steps with {} atoms\n"


def test_a_rate_is_of_all_atoms_and_steps() -> None:
    assert lammps_rate("Step Temp\n" + PRINTED.format("2.0", 100, 32000), 1) == 1.6e6


@pytest.mark.parametrize(
    ("output", "ranks"),
    [("", 1), (PRINTED.format("2.0", 10, 32000), 1), (PRINTED.format("2.0", 100, 32000), 2)],
)
def test_another_problem_is_refused(output: str, ranks: int) -> None:
    with pytest.raises(ContenderError):
        lammps_rate(output, ranks)
