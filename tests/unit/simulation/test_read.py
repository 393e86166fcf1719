"""Twins as files: what is read, and that everything else is refused with a place and a remedy."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode, UsageError
from machmeter.model.twin import TwinBasis, TwinTopology
from machmeter.simulation.builtin import find_twin, twin_names
from machmeter.simulation.read import LARGEST_FILE, read_twin, twin_in

MACHINES = Path("src/machmeter/simulation/machines")


def file_of(name: str) -> str:
    return (Path(__file__).parents[3] / MACHINES / f"{name}.toml").read_text()


HOPPER, EDISON, COMET, TWO = map(file_of, ("hopper", "edison", "comet", "two-nodes"))


def refusal(content: str) -> UsageError:
    with pytest.raises(UsageError) as error:
        twin_in(content.encode(), "my.toml")
    assert error.value.message.startswith("my.toml: ")
    assert error.value.remedy
    assert error.value.exit_code is ExitCode.WRONG_USAGE
    return error.value


def without(content: str, parameter: str) -> str:
    shorter = re.sub(rf'\[parameters\."{re.escape(parameter)}"\]\n(?:.+\n)*', "", content)
    assert shorter != content
    return shorter


def with_value(content: str, parameter: str, value: str) -> str:
    head = f'[parameters."{parameter}"]\nvalue = '
    changed = re.sub(re.escape(head) + ".*", head + value, content)
    assert changed != content
    return changed


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(HOPPER)
    twin = read_twin(path)
    assert twin == find_twin("hopper") == find_twin(str(path))
    assert twin.topology is TwinTopology.TORUS
    assert twin.shape == (17, 8, 24)
    assert twin.node.cores == 24
    assert twin.node.memory_bytes == 32 * 10**9
    assert twin.value("network.hop_latency") == 105e-9
    assert twin.value("network.eager_limit") == 16384
    by_name = {one.name: one for one in twin.parameters}
    assert by_name["network.hop_latency"].basis is TwinBasis.PUBLISHED
    assert not by_name["network.hop_latency"].changed


def test_bands_are_read() -> None:
    band = '\n[[bands]]\nbenchmark = "network.latency"\nshare = 0.05\nreason = "leave-one-out"\n'
    twin = twin_in((TWO + band).encode(), "my.toml")
    assert twin.band("network.latency") == 0.05
    assert twin.band("network.pairs") is None
    assert "network.latency" in refusal(TWO + band + band).message


def test_a_band_that_no_result_would_have_is_refused() -> None:
    band = '\n[[bands]]\nbenchmark = "network.latencies"\nshare = 0.05\nreason = "measured"\n'
    error = refusal(TWO + band)
    assert error.message.endswith("bands: no model describes 'network.latencies'")
    assert "network.latency" in error.remedy


@pytest.mark.parametrize(
    ("content", "named", "remedy"),
    [
        (TWO.replace("nodes = 2", "nodez = 2", 1), "nodez", "nodes"),
        (TWO.replace("packages = 2", "packages = 2\nsocket = 1"), "socket", "packages"),
        (TWO.replace('assumed = "no routers"', 'asumed = "no"', 1), "hop_latency", "assumed"),
        (TWO.replace('title = "', 'title = 3 # "'), "title", ""),
        (TWO.replace("nodes = 2", "nodes = 1000000000"), "nodes", ""),
        (TWO.replace("nodes = 2", "nodes = 0"), "nodes", ""),
        (TWO.replace("format = 1", "format = 2"), "format", ""),
        (TWO.replace('"direct"', '"hypercube"'), "hypercube", "dragonfly"),
        (TWO.replace('"two-nodes"', '"../x"'), "name", ""),
        (TWO.replace("cores_per_package = 8", "cores_per_package = 100000"), "node", ""),
        (TWO.replace('memory = "64 GiB"', 'memory = "64"'), "node.memory", "16 KiB"),
        (TWO.replace('memory = "64 GiB"', 'memory = "0 B"'), "node.memory", "from"),
        (TWO.replace("packages = 2", "packages = 2\nnuma_per_package = 3"), "node", "numa"),
        ("[[[", "no TOML", ""),
        ("a = 1" + "0" * 5000, "no TOML", ""),
        ("a = " + "[" * 5000, "no TOML", ""),
        ("#" * (LARGEST_FILE + 1), "larger", ""),
    ],
)
def test_a_file_of_another_form_is_refused(content: str, named: str, remedy: str) -> None:
    error = refusal(content)
    assert named in error.message
    assert remedy in error.remedy


@pytest.mark.parametrize(
    ("content", "named", "remedy"),
    [
        (without(TWO, "network.nic_latency"), "network.nic_latency", "nic_latency"),
        (TWO.replace("network.nic_latency", "network.nic_latencie"), "latencie", "nic_latency"),
        (TWO + '[parameters.a]\nvalue = 1\nassumed = "b"\n', "'a'", "network.hop_latency"),
        (
            TWO + '[parameters."network.link.bandwidth_x"]\nvalue = "1 GB/s"\nassumed = "a"\n',
            "would not matter",
            "network",
        ),
        (TWO + '[parameters.network.a]\nvalue = 1\nassumed = "b"\n', "network", '"network.a"'),
        (without(COMET, "network.link.bandwidth_up1"), "bandwidth_up1", ""),
        (with_value(TWO, "network.nic_latency", '"5 GB/s"'), "network.nic_latency", "105 ns"),
        (with_value(TWO, "network.nic_latency", "5"), "network.nic_latency", "105 ns"),
        (with_value(TWO, "network.nic_latency", '"2 s"'), "network.nic_latency", "1 s"),
        (with_value(TWO, "network.nic_latency", '"0 s"'), "network.nic_latency", "from"),
        (with_value(TWO, "network.nic_latency", "true"), "network.nic_latency", ""),
        (with_value(TWO, "network.injection_bandwidth", '"0 B/s"'), "injection", "from"),
        (with_value(TWO, "network.injection_bandwidth", '"9 Gbit/s"'), "injection", "GB/s"),
        (with_value(TWO, "network.duplex_share", "1.5"), "network.duplex_share", "0.5"),
        (with_value(TWO, "network.duplex_share", "nan"), "network.duplex_share", ""),
        (with_value(TWO, "network.eager_limit", '"1.5 B"'), "eager_limit", "whole"),
        (with_value(HOPPER, "network.nodes_per_router", "0"), "nodes_per_router", "whole"),
        (with_value(HOPPER, "network.nodes_per_router", "1.5"), "nodes_per_router", "whole"),
    ],
)
def test_parameters_are_complete_known_and_in_range(content: str, named: str, remedy: str) -> None:
    error = refusal(content)
    assert named in error.message
    assert remedy in error.remedy


@pytest.mark.parametrize(
    "basis",
    ["", 'assumed = ""', 'assumed = "a"\npublished = "b"', 'assumed = "a"\nfitted = "b/c"'],
)
def test_each_parameter_has_exactly_one_basis(basis: str) -> None:
    content = TWO.replace('assumed = "no routers"', basis, 1)
    assert "network.hop_latency" in refusal(content).message


def test_a_fitted_parameter_names_a_figure() -> None:
    assert refusal(TWO.replace('assumed = "no routers"', 'fitted = "by eye"', 1))


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        (HOPPER, "[17, 8]"),
        (HOPPER, "[17, 8, 0]"),
        (HOPPER, "[17, 8, -1]"),
        (HOPPER, "[17, 8, 23]"),
        (HOPPER, "[1000000000, 8, 24]"),
        (HOPPER, "[17, 8, 24, 2, 2]"),
        (HOPPER, "[]"),
        (EDISON, "[16, 6]"),
        (EDISON, "[16, 6, 1]"),
        (COMET, "[]"),
        (COMET, "[1944, 72]"),
        (COMET, "[72, 72]"),
        (COMET, "[72, 1945]"),
        (COMET, "[72, 1872]"),
        (COMET, "[72, 144, 288, 576, 1152]"),
        (TWO.replace('"direct"', '"direct"\nshape = []'), "[2]"),
    ],
)
def test_a_shape_that_does_not_connect_all_nodes_is_refused(content: str, shape: str) -> None:
    refusal(re.sub(r"shape = \[.*\]", f"shape = {shape}", content))


@pytest.mark.parametrize(
    ("nodes", "packages", "cores", "named"),
    [
        (2, 64, 1024, "65,536 cores"),
        (2, 17, 1024, "17,408 cores"),
        (2**20, 2, 64, "GB"),
        (2**20 // 16 + 1, 16, 16, "GB"),
    ],
)
def test_what_is_too_large_to_be_simulated_is_refused_when_it_is_read(
    nodes: int, packages: int, cores: int, named: str
) -> None:
    assert named in refusal(of_size(nodes, packages, cores)).message


@pytest.mark.parametrize(("nodes", "packages", "cores"), [(2**20, 1, 16), (1024, 16, 1024)])
def test_the_largest_twins_are_read(nodes: int, packages: int, cores: int) -> None:
    assert twin_in(of_size(nodes, packages, cores).encode(), "my.toml").nodes == nodes


def of_size(nodes: int, packages: int, cores: int) -> str:
    content = re.sub(r"(?m)^nodes = .*", f"nodes = {nodes}", TWO)
    content = re.sub(r"(?m)^packages = .*", f"packages = {packages}", content)
    return re.sub(r"(?m)^cores_per_package = .*", f"cores_per_package = {cores}", content)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UsageError) as error:
        twin_in(b'name = "\xff"', "my.toml")
    assert error.value.remedy


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    for path in (tmp_path / "absent.toml", tmp_path, pipe):
        with pytest.raises(UsageError) as error:
            find_twin(f"{path}/" if path is tmp_path else str(path))
        assert error.value.remedy


@pytest.mark.parametrize(("name", "meant"), [("hoper", "hopper"), ("", "comet"), ("zzz", "comet")])
def test_an_unknown_name_is_refused_with_those_there_are(name: str, meant: str) -> None:
    with pytest.raises(UsageError) as error:
        find_twin(name)
    assert meant in error.value.remedy
    assert meant in twin_names()
