"""Native headers depend on each other one way: a folder includes only from layers below its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "native"
_OWN = {path.parent.relative_to(NATIVE).as_posix() for path in NATIVE.glob("proxies/*/*.hpp")}
OF_ONE_PROXY = sorted(_OWN - {"proxies/common"})
_OF_CODES = {path.parent.relative_to(NATIVE).as_posix() for path in NATIVE.glob("codes/*/*.hpp")}
OF_ONE_CODE = sorted(_OF_CODES - {"codes/common"})
INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)
# From the lowest; folders of one layer do not include each other.
LAYERS = (
    ("core/values",),
    ("core/clock",),
    ("core/host",),
    ("core/libraries", "core/memory"),
    ("core/openmp",),
    ("core/record",),
    ("core/session", "main/observe"),
    ("patterns", "simulate/topologies", "device/api", "device/kernels"),
    ("device/state",),
    ("device",),
    (
        "memory/stream",
        *("device/stream", "device/launch", "device/arithmetic"),
        "threads",
        "sparse",
        "apps",
        "compute",
        "reference",
        "mpi",
        "shmem",
    ),
    ("simulate/machine",),
    ("simulate/events",),
    ("simulate",),
    ("memory/latency", "network", "proxies/common", "codes/common"),
    (
        *("memory/pages", "memory/assembly/reads", "network/clocks"),
        *("device/latency", "device/copies"),
        *OF_ONE_PROXY,
        *OF_ONE_CODE,
    ),
    ("memory/assembly/counts", "device/liquid"),
    ("memory/assembly/paths",),
    ("memory/assembly",),
    (
        *("network/messages", "network/pairs", "network/onesided", "network/collectives"),
        *("proxies", "codes", "nodes"),
    ),
    ("main",),
)
LAYER_OF = {folder: number for number, folders in enumerate(LAYERS) for folder in folders}


def sources() -> list[Path]:
    found = [path for path in NATIVE.rglob("*") if path.suffix in (".cpp", ".hpp")]
    return [path for path in found if path.relative_to(NATIVE).parts[0] != "tests"]


def folder_of(path: Path) -> str:
    return path.relative_to(NATIVE).parent.as_posix()


def test_every_folder_has_its_layer() -> None:
    assert {folder_of(path) for path in sources()} == set(LAYER_OF)


@pytest.mark.parametrize("folder", list(LAYER_OF))
def test_a_folder_includes_only_from_layers_below(folder: str) -> None:
    for path in sources():
        if folder_of(path) != folder:
            continue
        for name in INCLUDE.findall(path.read_text()):
            included = Path(name).parent.as_posix()
            below = included == folder or LAYER_OF.get(included, -1) < LAYER_OF[folder]
            assert below, f"{path.name} includes {name}"


def test_patterns_know_no_clock_and_no_library() -> None:
    for path in (NATIVE / "patterns").iterdir():
        included = INCLUDE.findall(path.read_text())
        assert not [name for name in included if "clock" in name or name in ("mpi.h", "shmem.h")]
