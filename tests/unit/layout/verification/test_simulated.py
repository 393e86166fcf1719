"""A simulated launch has no places; that it is simulated is verified."""

from __future__ import annotations

from machmeter.layout.assign import assign
from machmeter.layout.verification.verify import verify
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.plan.launch import RECORD_FORMAT, Header, Launch, LaunchSpec, Record
from machmeter.model.point import make_point
from machmeter.model.program import SIMULATOR
from machmeter.simulation.as_machine import machine_of
from tests.support.made_up.twins import made_up_twin

TWO = Layout(nodes=2, ranks_per_node=4)


def launch_of(program: str) -> Launch:
    points = (make_point("network.pairs", {"size": 8, "definition": "classic"}, TWO),)
    spec = LaunchSpec("one", program, "network.pairs", TWO, points, 0.03)
    return Launch(1, spec, 5, assign(TWO, machine_of(made_up_twin()).topology))


def record_of(origin: Origin, ranks: int = 8) -> Record:
    started = "2026-11-26T12:00:00Z"
    header = Header(
        *(RECORD_FORMAT, "network.pairs", 1, 5, ranks, started, (), None, None, ()), origin=origin
    )
    return Record(header, (), None)


def test_a_simulated_launch_needs_no_places() -> None:
    assert verify(launch_of(SIMULATOR), record_of(Origin.SIMULATED)) == ()


def test_other_ranks_are_refused() -> None:
    (reason,) = verify(launch_of(SIMULATOR), record_of(Origin.SIMULATED, ranks=4))
    assert "world size" in reason


def test_a_measured_record_is_none_of_a_simulated_launch() -> None:
    (reason,) = verify(launch_of(SIMULATOR), record_of(Origin.MEASURED))
    assert reason.startswith("origin")


def test_a_simulated_record_is_none_of_a_measured_launch() -> None:
    reasons = verify(launch_of("machmeter-mpi"), record_of(Origin.SIMULATED))
    assert any(reason.startswith("origin") for reason in reasons)
