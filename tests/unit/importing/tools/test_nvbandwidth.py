from __future__ import annotations

import pytest

from tests.support.importing_data import FOLDER, only, read_file, read_lines

TEXT = (FOLDER / "tools/nvbandwidth.txt").read_text()


@pytest.mark.parametrize(
    ("way", "rates"), [("to-device", (55.20, 55.18)), ("from-device", (55.37, 55.36))]
)
def test_copies_by_engine_are_machmeters_own(way: str, rates: tuple[float, ...]) -> None:
    reading = read_file("tools/nvbandwidth.txt")
    found = [one for one in reading.results if one.parameters.get("way") == way]
    assert [one.values[0] for one in found] == list(rates)
    assert [one.layout for one in found] == [{"device": "cuda:0"}, {"device": "cuda:1"}]
    assert {(one.benchmark, one.metric, one.unit) for one in found} == {
        ("device.copy", "bandwidth", "GB/s")
    }
    assert found[0].parameters == {"way": way, "host_memory": "pinned", "size": 2**29}
    assert "unless -b was given" in found[0].note
    assert found[0].program == "nvbandwidth 0.8 on NVIDIA H100 80GB HBM3"


def test_all_else_keeps_its_own_name() -> None:
    reading = read_file("tools/nvbandwidth.txt")
    assert [one.test for one in reading.kept] == [
        "host_to_device_bidirectional_memcpy_ce",
        "device_to_device_memcpy_read_ce",
        "host_device_latency_sm",
    ]
    others = [one for one in reading.results if not one.benchmark]
    # A device and itself have none.
    assert len(others) == 6
    latency = only(reading.results, workload="nvbandwidth-host-device-latency-sm", column=1)
    assert (latency.values, latency.unit, latency.better) == ((631.44,), "ns", "lower")
    assert not reading.remarks


@pytest.mark.parametrize("version", ["v0.5", "v0.7"])
def test_blocks_of_older_versions_are_of_unknown_size(version: str) -> None:
    reading = read_lines(TEXT.replace("Version: v0.8", f"Version: {version}"))
    assert {one.benchmark for one in reading.results} == {""}
    assert any("size of its blocks" in one.why for one in reading.kept)


def test_of_one_device_no_name_is_needed() -> None:
    text = TEXT[: TEXT.index("SUM host")].replace("         1\n", "\n").replace("     55.18", "")
    result = only(read_lines(text).results)
    assert (result.benchmark, result.layout) == ("device.copy", {})


def test_rows_of_other_lengths_cost_themselves() -> None:
    reading = read_lines(TEXT.replace("55.20     55.18", "55.20"))
    assert len(reading.results) == 8
    assert "expected 2 numbers of host_to_device_memcpy_ce" in reading.remarks[0]
    cut = read_lines(TEXT[: TEXT.index("55.18") + 4])
    assert not cut.results
    assert "expected 2 numbers" in cut.remarks[0]


def test_a_run_without_a_matrix_is_told() -> None:
    assert "did not end" in read_lines(TEXT[: TEXT.index("Running")]).remarks[0]
