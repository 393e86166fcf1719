"""What a page shows of a model."""

from __future__ import annotations

from machmeter.report.twins.section import twin_section
from machmeter.simulation.builtin import find_twin
from machmeter.simulation.change import changed
from machmeter.simulation.sensitivity import (
    ParameterEffect,
    SensitivePoint,
    TwinSensitivity,
)

POINTS = (
    SensitivePoint("latency, 8 B", 1e-6, "1.00 µs"),
    SensitivePoint("bandwidth, 1 MiB", 6e9, "6.00 GB/s"),
)
EFFECTS = (
    ParameterEffect("network.nic_latency", ((-0.1, 0.1), (0.0, 0.0))),
    ParameterEffect("network.software_overhead", ((-0.05, 0.05), (0.0, None))),
)


def test_parameters_have_range_and_basis_assumed_ones_marked() -> None:
    shown = twin_section(changed(find_twin("hopper"), ("network.hop_latency=50ns",)))
    rows = {row[0]: row for row in shown.parameters.rows}
    assert rows["network.software_overhead"][1:4] == ("285 ns", "0 s to 1 s", "!\u00a0assumed")
    assert rows["network.nic_latency"][3] == "published"
    assert rows["network.hop_latency"][3] == "!\u00a0changed"
    assert "without it 105 ns" in rows["network.hop_latency"][4]
    assert shown.conclusion.endswith("1 changed by --with.")
    assert shown.effects is None


def test_the_facts_are_those_of_the_picture() -> None:
    shown = twin_section(find_twin("edison"))
    facts = dict(shown.facts.rows)
    assert facts["Network"].startswith("dragonfly of 2 groups")
    for link in shown.picture.keys[2:]:
        name, rate = link.text.rsplit(": ", 1)
        assert facts[f"Rate: {name}"] == f"{rate} one way"


def test_sensitivity_is_a_table_with_the_order_given() -> None:
    known = TwinSensitivity(POINTS, EFFECTS, ("network.eager_limit",), ("network.pair_hops",))
    shown = twin_section(find_twin("hopper"), known)
    assert shown.effects is not None
    assert [row[0] for row in shown.effects.rows] == [one.parameter for one in EFFECTS]
    assert shown.effects.rows[0][1:3] == ("published", "-10.0\u00a0/\u00a0+10.0")
    assert shown.effects.keys[0] == (None, None, 0.1, 0)
    assert shown.remarks[0] == "Without effect on these results: network.eager_limit."
    assert shown.remarks[1].endswith("network.pair_hops.")


def test_why_nothing_was_determined_is_said() -> None:
    shown = twin_section(find_twin("hopper"), TwinSensitivity(problem="no compiler"))
    assert shown.effects is None
    assert shown.remarks == ("Sensitivity to parameters not determined: no compiler",)
