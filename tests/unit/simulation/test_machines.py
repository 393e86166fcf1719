"""The twins that come with machmeter: every number has a ground, and few are fitted."""

from __future__ import annotations

import pytest

from machmeter.model.twin import Twin, TwinBasis, TwinTopology
from machmeter.published.load import machine_names, published_machine
from machmeter.simulation.builtin import find_twin, twin_names
from machmeter.simulation.parameters import PARAMETERS, declared, parameters_of
from machmeter.simulation.shape import places_of

TWINS = tuple(map(find_twin, twin_names()))


def fitted(twin: Twin) -> set[str]:
    return {one.reason for one in twin.parameters if one.basis is TwinBasis.FITTED}


def results(name: str) -> set[str]:
    """The printed results of a machine, what follows from others left out."""
    return {
        f"{name}/{figure.id}"
        for table in published_machine(name).tables
        if table.benchmark or table.workload
        for figure in table.figures
        if figure.derived is None
    }


def figures(name: str) -> set[str]:
    tables = published_machine(name).tables
    return {f"{name}/{figure.id}" for table in tables for figure in table.figures}


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_every_parameter_has_a_ground_and_is_in_range(twin: Twin) -> None:
    assert {one.name for one in twin.parameters} == {
        one.name for one in parameters_of(twin.topology, len(twin.shape))
    }
    for one in twin.parameters:
        assert one.reason
        assert not one.changed
        declaration = declared(one.name)
        assert declaration
        assert declaration.checked(one.value) == one.value


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_fitted_parameters_name_figures_of_the_machine_and_are_few(twin: Twin) -> None:
    if not twin.published:
        assert not fitted(twin)
        return
    assert twin.published in machine_names()
    assert fitted(twin) <= figures(twin.published)
    assert 3 * len(fitted(twin)) <= len(results(twin.published))


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_a_twin_has_the_nodes_and_cores_that_are_printed(twin: Twin) -> None:
    places = places_of(twin)
    assert places is None or twin.nodes <= places < 1.2 * twin.nodes
    if twin.published:
        counts = published_machine(twin.published).counts
        assert (counts.nodes, counts.cores) == (twin.nodes, twin.nodes * twin.node.cores)


@pytest.mark.parametrize(
    ("name", "seconds"), [("hopper", 1.27e-6), ("edison", 1.3e-6), ("gordon", 1.3e-6)]
)
def test_a_message_between_the_nearest_nodes_takes_the_published_time(
    name: str, seconds: float
) -> None:
    twin = find_twin(name)
    overhead = twin.value("network.software_overhead")
    assert 2 * overhead + twin.value("network.nic_latency") == pytest.approx(seconds, rel=1e-9)


def test_the_fitted_shares_reproduce_their_figures() -> None:
    edison = find_twin("edison")
    both_ways = 2 * edison.value("network.injection_bandwidth")
    assert both_ways * edison.value("network.duplex_share") == pytest.approx(15e9, rel=1e-3)


def test_the_names_of_parameters_are_unique() -> None:
    assert len({one.name for one in PARAMETERS}) == len(PARAMETERS)
    assert {level: len(parameters_of(TwinTopology.FAT_TREE, level)) for level in range(1, 5)} == {
        1: 16,
        2: 17,
        3: 18,
        4: 19,
    }
