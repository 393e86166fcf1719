"""Study `comet-network`: two libraries side by side, and Comet's figures are found out."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from machmeter.model.device import Device, NamedDevice
from machmeter.model.point import Point
from machmeter.model.results.finding import Finding
from machmeter.studies.comet.network import COMET_NETWORK
from tests.support.made_up.network_studies import (
    TWO_CORES,
    TWO_PACKAGES,
    about,
    found_in,
    machine_of,
    plan_of,
    problems_of,
    undecided,
)


def comet(point: Point, metric: str) -> float:
    """One operation at a time by MPICH and OpenSHMEM, many by Open MPI, which needs its target."""
    parameters, mpi = dict(point.parameters), point.variant.mpi
    outstanding = int(parameters.get("outstanding", 1))
    seconds = 1.36e-6 if mpi == "openmpi" else 1e-6
    if point.benchmark.startswith("shmem"):
        seconds = 1.76e-6 if parameters.get("operation") == "get" else 1.42e-6
    if parameters.get("window") == "create":
        seconds *= 3
    if parameters.get("synchronization") in ("fence", "post-start"):
        seconds *= 2
    if parameters.get("target") == "working" and mpi == "openmpi":
        seconds *= 100
    if parameters.get("buffers") == "device":
        seconds *= 5
    pipelined = min(outstanding, 16) if mpi == "openmpi" else 1
    return pipelined / seconds if metric in ("rate", "bandwidth", "bandwidth_one_way") else seconds


LARGE = machine_of(TWO_PACKAGES, gpu=True)
SMALL = machine_of(TWO_CORES, gpu=True)


@cache
def on_small() -> dict[str, Finding]:
    return found_in(plan_of(COMET_NETWORK, SMALL), SMALL, comet)


def test_questions_and_experiments_name_what_there_is() -> None:
    assert problems_of(COMET_NETWORK) == []


def test_two_cores_and_sixty_four_decide_every_question() -> None:
    assert undecided(on_small()) == {}
    assert undecided(found_in(plan_of(COMET_NETWORK, LARGE), LARGE, comet)) == {}


def test_without_openshmem_its_questions_say_so() -> None:
    bare = machine_of(TWO_CORES, shmem=False, gpu=True)
    plan = plan_of(COMET_NETWORK, bare)
    lacking = undecided(found_in(plan, bare, comet))
    assert len(lacking) == 4
    assert all("requires an OpenSHMEM compiler" in answer for answer in lacking.values())
    assert any("oshc++" in skipped.reason for skipped in plan.skipped)


def test_without_a_device_messages_between_devices_are_not_measured() -> None:
    bare = machine_of(TWO_CORES)
    plan = plan_of(COMET_NETWORK, bare)
    lacking = undecided(found_in(plan, bare, comet))
    assert len(lacking) == 2
    assert all("requires a device (--device)" in answer for answer in lacking.values())
    reasons = {one.reason for one in plan.skipped}
    assert any("buffers=device: no device is named" in reason for reason in reasons)


def test_memory_without_an_address_is_not_sent_from() -> None:
    opencl = NamedDevice("opencl:1", "opencl:b:0", Device("opencl", "a GPU", "gpu"))
    plan = plan_of(COMET_NETWORK, replace(SMALL, devices=(opencl,)))
    assert any("memory of opencl:1 has no address" in one.reason for one in plan.skipped)
    places = {dict(p.parameters).get("buffers") for p in plan.points}
    assert "device" not in places


def test_messages_between_devices_are_measured_beside_those_of_the_host() -> None:
    question = "devices cost in latency"
    assert about(on_small(), question).startswith("much for mpich 8 B, ")
    places = {
        dict(point.parameters)["buffers"]
        for spec in plan_of(COMET_NETWORK, SMALL).specs
        for point in spec.points
        if point.benchmark == "network.latency"
    }
    assert places == {"hot", "device"}


def test_comet_is_found_out() -> None:
    assert about(on_small(), "lower latency").startswith("mpich for 8 B")
    assert "1.36x" in about(on_small(), "lower latency")
    transfers = about(on_small(), "one-sided transfers proceed concurrently")
    assert "one for mpich put and mpich get" in transfers
    assert "many for openmpi put and openmpi get" in transfers
    assert about(on_small(), "OpenSHMEM atomic operations proceed").startswith("one for add")
    assert about(on_small(), "OpenSHMEM put faster").startswith("yes, 1.24x [")
    assert "create" not in about(on_small(), "kind of window").partition(" over ")[0]
    working = about(on_small(), "transfers progress while their target")
    assert "yes for mpich put" in working
    assert "no for openmpi put" in working


def test_every_library_is_measured_in_the_same_session() -> None:
    plan = plan_of(COMET_NETWORK, SMALL)
    by_mpi: dict[str, set[str]] = {}
    for spec in plan.specs:
        if spec.benchmark.startswith("network."):
            by_mpi.setdefault(spec.variant.mpi, set()).add(spec.benchmark)
    assert set(by_mpi) == {"mpich", "openmpi"}
    assert by_mpi["mpich"] == by_mpi["openmpi"]


def test_a_launch_of_each_fits_many_times_into_the_budget() -> None:
    specs = [spec for spec in plan_of(COMET_NETWORK, SMALL).specs if spec.of_points]
    seconds = sum(1.2 + spec.seconds_per_point * len(spec.points) for spec in specs)
    assert 12 * seconds < COMET_NETWORK.budget_seconds
