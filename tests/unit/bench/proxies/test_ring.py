"""The comparison of rings of nerve cells: what is read of NEURON, the rows made."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bench.comparisons.proxies.ring import PROBLEM, checked_rate, ring_rows
from bench.parsers import NeuronRun, parse_neuron
from bench.rounds import ContenderError, RoundResults
from bench.verdicts import TargetVerdict
from machmeter.apps.builtin import builtin_apps

PRINTED = """NEURON 8.2.2.dev0 ranks 1
spikes 334 checksum 1366942.400
solve time 4.099427 s, 3902.98 cell ms/s
"""
GOOD = NeuronRun(1, 334, 1366942.4, 3902.98)


def test_the_output_of_neuron_is_read() -> None:
    assert parse_neuron(PRINTED) == GOOD
    assert checked_rate(GOOD, 1) == 3902.98


def test_the_problem_is_the_application_s() -> None:
    (ring,) = (one for one in builtin_apps() if one.name == "neuron-ring")
    values = ring.sizes[0].values
    assert [one.format(**values) for one in ring.command[-4:]] == [str(n) for n in PROBLEM.values()]


@pytest.mark.parametrize("line", range(3))
def test_output_that_lacks_a_line_is_refused(line: int) -> None:
    rest = [one for number, one in enumerate(PRINTED.splitlines()) if number != line]
    with pytest.raises(ValueError, match="the output lacks"):
        parse_neuron("\n".join(rest))


def test_other_ranks_or_spikes_are_refused() -> None:
    with pytest.raises(ContenderError, match="on 1 ranks, not 2"):
        checked_rate(GOOD, 2)
    for wrong in (replace(GOOD, spikes=333), replace(GOOD, checksum=1366942.0)):
        with pytest.raises(ContenderError, match="other spikes"):
            checked_rate(wrong, 1)


def test_each_number_of_ranks_has_a_row_and_two_have_a_speedup() -> None:
    rates = {"machmeter, 1": 9.0, "NEURON, 1": 3.0, "machmeter, 2": 2.0, "NEURON, 2": 4.0}
    figures = {
        name: {"rate": {n: rate * (1 + n / 1000) for n in range(3)}} for name, rate in rates.items()
    }
    rows = ring_rows((1, 2), RoundResults(figures, {}, 3))
    assert [row.what.splitlines()[0] for row in rows] == [
        "1 rank",
        "2 ranks",
        "speedup, 1 to 2 ranks",
    ]
    assert [row.verdict for row in rows] == [
        TargetVerdict.PASS,
        TargetVerdict.MISSED,
        TargetVerdict.SHOWN,
    ]
    assert len(ring_rows((1,), RoundResults(figures, {}, 3))) == 1
