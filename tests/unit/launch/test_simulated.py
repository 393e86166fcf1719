"""What the program that simulates is called with."""

from __future__ import annotations

from pathlib import Path

from machmeter.launch.simulated import simulated_arguments
from machmeter.layout.assign import assign
from machmeter.model.layout import Binding, Layout, ProgressMode
from machmeter.model.plan.launch import Launch, LaunchSpec
from machmeter.model.point import make_point
from machmeter.model.program import SIMULATOR
from machmeter.simulation.as_machine import machine_of
from tests.support.made_up.twins import VALUES, made_up_twin

LAYOUT = Layout(
    nodes=2, ranks_per_node=4, binding=Binding.SPREAD, package=1, progress=ProgressMode.THREAD
)


def arguments() -> tuple[str, ...]:
    twin = made_up_twin()
    points = (make_point("network.pairs", {"size": 8, "definition": "classic"}, LAYOUT),)
    spec = LaunchSpec("one", SIMULATOR, "network.pairs", LAYOUT, points, 0.03)
    launch = Launch(7, spec, 11, assign(LAYOUT, machine_of(twin).topology))
    return simulated_arguments(launch, Path("record.jsonl"), twin, "openmpi")


def value_of(name: str) -> str:
    words = arguments()
    return words[words.index(name) + 1]


def test_it_is_called_with_the_launch_and_its_layout() -> None:
    assert arguments()[0] == "network.pairs"
    assert value_of("--record") == "record.jsonl"
    assert value_of("--launch") == "7"
    assert value_of("--seed") == "11"
    assert value_of("--nodes") == "2"
    assert value_of("--ranks-per-node") == "4"
    assert value_of("--package") == "1"
    assert value_of("--binding") == "spread"
    assert value_of("--progress") == "thread"
    assert value_of("--point") == "definition=classic,size=8"


def test_it_is_called_with_every_number_of_the_model_exactly() -> None:
    words = arguments()
    given = {words[i + 1].partition("=") for i, word in enumerate(words) if word == "--set"}
    assert {name: float(text) for name, _, text in given} == VALUES
    assert value_of("--topology") == "direct"
    assert value_of("--machine-nodes") == "2"
    assert value_of("--mpi") == "openmpi"
    assert "--host-progress" in words
    assert "--shape" not in words
