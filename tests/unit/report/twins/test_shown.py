"""Parameters of a model with value, range, meaning and basis."""

from __future__ import annotations

from machmeter.model.twin import TwinBasis
from machmeter.report.twins.shown import shown_parameters, shown_twin
from machmeter.simulation.builtin import find_twin
from machmeter.simulation.change import changed


def test_every_parameter_has_its_value_range_and_basis() -> None:
    twin = changed(find_twin("hopper"), ("network.hop_latency=50ns",))
    shown = {one.name: one for one in shown_parameters(twin)}
    assert list(shown) == [one.name for one in twin.parameters]
    hop = shown["network.hop_latency"]
    assert (hop.text, hop.unit, hop.changed) == ("50 ns", "s", True)
    assert (hop.least, hop.most) == ("0 s", "1 s")
    eager = shown["network.eager_limit"]
    assert (eager.text, eager.basis) == ("16 KiB", TwinBasis.PUBLISHED)
    assert "SST-macro" in eager.reason


def test_a_twin_is_shown_whole() -> None:
    shown = shown_twin(find_twin("edison"))
    assert (shown.published, shown.nodes, shown.topology) == ("edison", 664, "dragonfly")
    assert shown.links[0].name == "NIC of a node"
