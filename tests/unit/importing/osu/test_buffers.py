from __future__ import annotations

import pytest

from machmeter.importing.readings import Place
from tests.support.importing_data import only, read_lines

DEVICE, HOST, MANAGED = "DEVICE (D)", "HOST (H)", "MANAGED (M)"
TEST = """# OSU MPI-{kind} {test} Test v7.2
# Send Buffer on {0} and Receive Buffer on {1}
# Size      {column}
# Datatype: MPI_CHAR.
8 {2}
"""


def table(test: str, column: str, *said: object, kind: str = "CUDA") -> str:
    return TEST.format(*said, test=test, column=column, kind=kind)


def latency(*said: object) -> str:
    return table("Latency", "Avg Latency(us)", *said)


def test_buffers_on_a_device_and_on_the_host_are_other_points() -> None:
    text = latency(DEVICE, DEVICE, 20.0) + latency(DEVICE, HOST, 9) + latency(HOST, HOST, 0.2)
    reading = read_lines(text)
    told = {one.parameters["buffers"]: (one.benchmark, one.values) for one in reading.results}
    assert told == {
        "device": ("network.latency", (20.0,)),
        "DEVICE to HOST": ("", (9.0,)),
        "hot": ("network.latency", (0.2,)),
    }
    (kept,) = reading.kept
    assert "its buffers are DEVICE to HOST" in kept.why


@pytest.mark.parametrize(
    ("test", "metric"),
    [
        ("Bandwidth", "bandwidth_one_way"),
        ("Bi-Directional Bandwidth", "bandwidth_both_ways"),
    ],
)
@pytest.mark.parametrize("kind", ["CUDA", "ROCM", "SYCL"])
def test_bandwidths_between_devices(test: str, metric: str, kind: str) -> None:
    text = table(test, "Bandwidth (MB/s)", DEVICE, DEVICE, 4.31, kind=kind)
    result = only(read_lines(text).results)
    assert (result.benchmark, result.metric) == ("network.bandwidth", metric)
    assert result.parameters["buffers"] == "device"
    assert result.parameters["window"] == 64


def test_managed_memory_is_neither() -> None:
    result = only(read_lines(latency(MANAGED, MANAGED, 5.0)).results)
    assert not result.benchmark
    assert result.parameters["buffers"] == "MANAGED to MANAGED"


COLLECTIVE = """# OSU MPI-CUDA Allreduce Latency Test v7.2
{0}# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
# Datatype: MPI_FLOAT.
8 20.0 19.0 21.0 1000
"""


def test_collectives_of_devices_keep_their_own_name_and_those_of_hosts_do_not() -> None:
    said = "# Send Buffer on {0} and Receive Buffer on {0}\n"
    of_devices = read_lines(COLLECTIVE.format(said.format(DEVICE)), place=Place(1, 2))
    assert {one.benchmark for one in of_devices.results} == {""}
    assert "no such benchmark" in of_devices.kept[0].why
    of_hosts = read_lines(COLLECTIVE.format(said.format(HOST)), place=Place(1, 2))
    assert {one.benchmark for one in of_hosts.results} == {"network.collective"}


# As 7.5 prints it.
UNSAID = """# OSU MPI-CUDA Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       2.75
"""


@pytest.mark.parametrize(
    ("start", "buffers"),
    [
        ("srun -p gpu -n 2 osu_latency -x 1000 -i 10000 -m 1:1 -d cuda D D", "device"),
        ("mpirun -np 2 ./pt2pt/osu_latency H H", "hot"),
        ("mpirun -np 2 ./pt2pt/osu_latency -d cuda H D", "HOST to DEVICE"),
        ("mpirun -np 2 ./pt2pt/osu_latency -d cuda MD MD", "MANAGED to MANAGED"),
        ("mpirun -np 2 ./pt2pt/osu_latency -d cuda $A $B", ""),
        ("mpirun -np 2 ./pt2pt/osu_latency -d cuda", ""),
        ("mpirun -np 2 ./measure D D", ""),
    ],
)
def test_what_is_not_printed_is_taken_from_the_launch_line(start: str, buffers: str) -> None:
    reading = read_lines(f"$ {start}\n\n{UNSAID}")
    result = only(reading.results)
    assert result.parameters.get("buffers", "") == buffers
    assert bool(result.benchmark) == (buffers in ("device", "hot"))
    assert any("is not printed" in one.why for one in reading.kept) == (buffers == "")


def test_what_is_printed_counts_more_than_the_launch_line() -> None:
    text = latency(DEVICE, DEVICE, 20.0)
    result = only(read_lines(f"$ mpirun -np 2 osu_latency H H\n{text}").results)
    assert result.parameters["buffers"] == "device"


def test_words_of_a_plain_test_say_nothing_of_buffers() -> None:
    text = UNSAID.replace("-CUDA", "")
    result = only(read_lines(f"$ mpirun -np 2 osu_latency D D\n{text}").results)
    assert result.parameters["buffers"] == "hot"
