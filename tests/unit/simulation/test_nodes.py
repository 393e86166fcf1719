"""How many nodes of a twin a request gets."""

from __future__ import annotations

import pytest

from machmeter.model.errors import UsageError
from machmeter.model.plan.study import LayoutOptions
from machmeter.simulation.nodes import USUAL_NODES, hosts_of_twin, refuse_other_libraries
from tests.support.made_up.twins import made_up_twin


def test_all_nodes_of_a_small_machine_and_some_of_a_large_one() -> None:
    assert len(hosts_of_twin(made_up_twin(), LayoutOptions())) == 2
    assert len(hosts_of_twin(made_up_twin(nodes=10**6), LayoutOptions())) == USUAL_NODES


def test_as_many_as_requested() -> None:
    assert len(hosts_of_twin(made_up_twin(nodes=500), LayoutOptions(nodes=(4, 200)))) == 200


@pytest.mark.parametrize(
    "layout",
    [
        LayoutOptions(nodes=(3,)),
        LayoutOptions(rank_counts=(2, 10**6)),
        LayoutOptions(hosts=("one", "two")),
        LayoutOptions(remote_shell="/bin/sh"),
        LayoutOptions(oversubscribe=True),
    ],
    ids=["more-than-there-are", "more-ranks-than-cores", "hosts", "remote-shell", "oversubscribed"],
)
def test_what_a_model_cannot_have_is_refused(layout: LayoutOptions) -> None:
    with pytest.raises(UsageError):
        hosts_of_twin(made_up_twin(), layout)


def test_only_libraries_whose_algorithms_are_modeled_are_taken() -> None:
    refuse_other_libraries(("mpich", "openmpi"))
    with pytest.raises(UsageError):
        refuse_other_libraries(("mpich", "/opt/openmpi"))
