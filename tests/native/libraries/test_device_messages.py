"""Messages between buffers in memory of devices: an MPI that does not take them is refused.

No MPI of this machine does. The memory of a device on its CPUs is memory of the host, which every
MPI can send: with a function in the MPI's place that says so, all of it runs.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from machmeter.build.mpi import MpiInstall
from machmeter.launch.libraries import Libraries
from machmeter.machine.opencl import find_opencl
from machmeter.model.benchmark import Value
from machmeter.model.device import Device, NamedDevice
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchOutcome, Record, Verdict
from tests.support.processes.native_programs import (
    Programs,
    launch_of,
    launcher_of,
    start,
    with_script,
)

pytestmark = pytest.mark.alone

TWO_RANKS = Layout(ranks_per_node=2)
SAYS_SO = "int MPIX_Query_cuda_support(void) { return 1; }"
# What it receives never reaches the buffer.
MISPLACES = (
    SAYS_SO
    + """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
int PMPI_Recv(void*, int, int, int, int, int, void*);
int MPI_Recv(void* in, int count, int type, int source, int tag, int group, void* status) {
    static char elsewhere[1 << 16];
    return PMPI_Recv(count > 4 ? elsewhere : in, count, type, source, tag, group, status);
}
"""
)
LATENCY: list[dict[str, Value]] = [
    {"size": 8, "buffers": "device"},
    {"size": 65536, "buffers": "device", "pattern": "ping-ping"},
    {"size": 4096, "buffers": "device", "way": "persistent"},
    {"size": 4096, "buffers": "device", "data": "vector"},
    {"size": 8},
]
BANDWIDTH: list[dict[str, Value]] = [
    {"size": 4096, "window": 4, "direction": way, "buffers": "device"}
    for way in ("one-way", "both-ways")
]


def measured(
    programs: Programs,
    mpi: MpiInstall,
    folder: Path,
    benchmark: str,
    points: list[dict[str, Value]],
    said: str = SAYS_SO,
    named: str = "",
) -> tuple[LaunchOutcome, Record]:
    """A launch of two ranks below an MPI of which `said`, in C, is a part."""
    folder.mkdir()
    if said:
        (folder / "said.c").write_text(said)
        words = ["gcc", "-shared", "-fPIC", "-o", str(folder / "said.so"), str(folder / "said.c")]
        subprocess.run(words, check=True)
        preloaded = f'LD_PRELOAD=\'{folder / "said.so"}\' exec "$REAL" "$@"'
        programs = with_script(programs, folder / "programs", "machmeter-mpi", preloaded)
    pocl = next(one for one in find_opencl() if "pocl" in one)
    named = named or f"opencl:{pocl}:0"
    # For each of two ranks.
    devices = 2 * (NamedDevice(named, named, Device("opencl", named)),)
    launch = launch_of(benchmark, points, TWO_RANKS)
    libraries = Libraries(folder / "cache")
    launcher = launcher_of(programs, mpi, os.environ, libraries, devices=devices)
    return start(launcher, launch, folder)


def test_messages_go_from_device_to_device(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    for name, points in (("network.latency", LATENCY), ("network.bandwidth", BANDWIDTH)):
        outcome, record = measured(programs, mpich, tmp_path / name, name, points)
        assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
        assert all(point.series and point.check.passed for point in record.points)
        assert len(record.points) == len(points)
        for point in record.points:
            on_device = "in memory of" in point.attributes["buffer"]
            assert on_device == (point.parameters["buffers"] == "device")


@pytest.mark.parametrize(
    ("said", "named", "why"),
    [
        ("", "", "that it takes memory of devices"),
        (SAYS_SO.replace("1", "0"), "", "request buffers=hot"),
        (SAYS_SO, "0", "name devices of ranks opencl:LIBRARY:NUMBER or cuda:UUID"),
        (SAYS_SO, "opencl:/lib/none.so:0", "none.so"),
    ],
)
def test_what_lacks_is_told_before_anything_is_measured(
    said: str, named: str, why: str, programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    outcome, record = measured(
        programs, mpich, tmp_path / "refused", "network.latency", LATENCY[:1], said, named
    )
    assert outcome.verdict is not Verdict.ACCEPTED
    assert any(why in reason for reason in outcome.reasons), outcome.reasons
    assert not record.points


def test_messages_of_the_host_are_measured_where_those_of_devices_cannot_be(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    of_host: dict[str, Value] = {"size": 4096, "window": 4, "direction": "one-way"}
    bandwidth = [*BANDWIDTH, of_host]
    for name, points in (("network.latency", LATENCY), ("network.bandwidth", bandwidth)):
        _, record = measured(programs, mpich, tmp_path / name, name, points, said="")
        assert len(record.points) == len(points)
        for point in record.points:
            if point.parameters["buffers"] == "device":
                assert not point.check.passed
                assert "that it takes memory of devices" in point.check.what
            else:
                assert point.check.passed
                assert point.series


def test_messages_that_never_reach_the_device_are_seen(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    points: list[dict[str, Value]] = [{"size": 4096, "buffers": "device"}]
    _, record = measured(
        programs, mpich, tmp_path / "misplaced", "network.latency", points, MISPLACES
    )
    assert [point.check.passed for point in record.points] == [False]
