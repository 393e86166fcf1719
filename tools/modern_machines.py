"""Writes the machine files of 2018 to 2026 from the table of figures that were collected for them.

    python tools/modern_machines.py modern.csv [FOLDER]

Every row of a system named in MACHINES becomes a figure, or is counted with the reason why not.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

MACHINES_FOLDER = Path(__file__).parents[1] / "src/machmeter/published/machines/today"
Row = Mapping[str, str]
Fields = dict[str, str | int | float]


class Machine(NamedTuple):
    """One machine file."""

    id: str
    folder: str
    name: str
    summary: str
    systems: tuple[str, ...]
    hardware: Fields
    cores_per_ccx: int = 0
    cores_per_socket: int = 0
    threads: int = 0
    """Of a sweep over all cores, where a core runs one thread or the source says how many."""


class Shape(NamedTuple):
    """What a row is, as a machine file has it."""

    id: str
    benchmark: str
    metric: str
    unit: str
    parameters: Fields
    layout: Fields
    statistic: str = ""
    relation: str = ""
    kind: str = ""
    """What the two CPUs of its pair share."""
    note: str = ""
    others: str = ""
    """Values of other builds of the same point."""


class Found(NamedTuple):
    """A row with its shape."""

    row: Row
    shape: Shape


ROME: Fields = {"generation": "Zen 2", "channels": 16, "transfers": 3200, "memory": "DDR4"}
MILAN: Fields = {**ROME, "generation": "Zen 3"}
GENOA: Fields = {"generation": "Zen 4", "channels": 24, "transfers": 4800, "memory": "DDR5"}
SKYLAKE: Fields = {"generation": "Skylake-SP", "channels": 12, "transfers": 2666, "memory": "DDR4"}
THUNDERX2: Fields = {
    "generation": "ThunderX2",
    "sockets": 2,
    "cores": 64,
    "channels": 16,
    "transfers": 2666,
    "memory": "DDR4",
}
XEON_MAX: Fields = {
    "generation": "Xeon Max",
    "sockets": 2,
    "cores": 112,
    "memory": "HBM2E",
    "memory_bandwidth": 3277,
}
GRACE: Fields = {"generation": "Neoverse V2", "memory": "LPDDR5X"}
GH200: Fields = {**GRACE, "sockets": 4, "cores": 288, "memory_bandwidth": 2048}


def _nic(network: str, nics: int, gigabits: int) -> Fields:
    """The network of a node; 0 where the number or rate of its links is not known."""
    known: Fields = {"network": network, "nics": nics, "nic_gigabits": gigabits}
    return {name: value for name, value in known.items() if value}


OF_HPL: tuple[tuple[str, str, str, Fields], ...] = (
    (
        "mac-mini-m4",
        "Mac mini (M4)",
        "Mac mini (M4, in Docker)",
        {"generation": "Apple M4"},
    ),
    (
        "mac-studio-m3-ultra",
        "Mac Studio (M3 Ultra)",
        "Mac Studio (M3 Ultra 32-core)",
        {"generation": "Apple M3 Ultra", "cores": 32},
    ),
    (
        "ampereone-hpl",
        "Supermicro server (AmpereOne A192-32X)",
        "Supermicro AmpereOne (A192-32X)",
        {"generation": "AmpereOne", "sockets": 1, "cores": 192, "memory": "DDR5"},
    ),
    (
        "altra-m128-30",
        "System76 Thelio Astra (Altra Max M128-30)",
        "System76 Thelio Astra (Ampere Altra Max M128-30)",
        {"generation": "Neoverse N1", "sockets": 1, "cores": 128, "memory": "DDR4"},
    ),
    (
        "gb10-hpl",
        "Dell Pro Max with GB10",
        "Dell Pro Max with GB10 (Nvidia GB10)",
        {"generation": "GB10", "sockets": 1, "cores": 20, "memory_bandwidth": 273},
    ),
    (
        "raspberry-pi-5",
        "Raspberry Pi 5, 8 GB",
        "Raspberry Pi 5 8 GB (BCM2712)",
        {"generation": "Cortex-A76", "sockets": 1, "cores": 4},
    ),
    (
        "raspberry-pi-4",
        "Raspberry Pi 4",
        "Raspberry Pi 4 (BCM2711)",
        {"generation": "Cortex-A72", "sockets": 1, "cores": 4},
    ),
    (
        "rock-5b",
        "Radxa ROCK 5B (RK3588)",
        "Radxa ROCK 5B (RK3588 8-core)",
        {"generation": "Cortex-A76 and A55", "sockets": 1, "cores": 8},
    ),
    (
        "radxa-x4",
        "Radxa X4 (Intel N100)",
        "Radxa X4 (1x N100)",
        {"generation": "Alder Lake-N", "sockets": 1, "cores": 4},
    ),
    (
        "hifive-p550",
        "HiFive Premier P550 (ESWIN EIC7700X)",
        "HiFive Premier P550 (ESWIN EIC7700X)",
        {"generation": "SiFive P550", "sockets": 1, "cores": 4},
    ),
    (
        "milk-v-mars",
        "Milk-V Mars (JH7110)",
        "Milk-V Mars (JH7110 4-core)",
        {"generation": "SiFive U74", "sockets": 1, "cores": 4},
    ),
    (
        "ai-max-395",
        "Framework Desktop mainboard (AI Max+ 395)",
        "Framework Desktop Mainboard (AMD AI Max+ 395)",
        {"generation": "Zen 5", "sockets": 1, "cores": 16},
    ),
    (
        "ai-max-395-tuned",
        "Framework Desktop (AI Max+ 395)",
        "Framework Desktop (AMD AI Max+ 395), AMD Zen HPL",
        {"generation": "Zen 5", "sockets": 1, "cores": 16},
    ),
)

MACHINES = (
    Machine(
        "archer2",
        "zen",
        "ARCHER2 (HPE Cray EX, EPCC)",
        "Two EPYC 7742 a node on Slingshot 10; messages by distance and by switch.",
        ("ARCHER2 (2x EPYC 7742, Slingshot 2x 100 Gbit/s)",),
        {**ROME, "sockets": 2, "cores": 128, **_nic("Slingshot 10", 2, 100)},
    ),
    Machine(
        "eiger",
        "zen",
        "Eiger (HPE Cray EX, CSCS)",
        "Nodes of 128 Zen 2 cores, as the tests of the site expect them.",
        ("CSCS Eiger (zen2, 128 cores a node)",),
        {**ROME, "sockets": 2, "cores": 128},
        threads=128,
    ),
    Machine(
        "bluepebble-rome",
        "zen",
        "BluePebble (EPYC Rome, Bristol)",
        "A node of two EPYC of the second generation, BabelStream by four compilers.",
        ("BluePebble EPYC Rome",),
        {**ROME, "sockets": 2},
    ),
    Machine(
        "hbv2",
        "zen",
        "Azure HBv2 (HB120rs_v2)",
        "120 Zen 2 cores in a virtual machine on HDR InfiniBand.",
        ("Azure HB120rs_v2 (Rome)",),
        {**ROME, "sockets": 2, "cores": 120, **_nic("HDR InfiniBand", 1, 200)},
    ),
    Machine(
        "xh2000-rome",
        "zen",
        "BullSequana XH2000 (EPYC 7742)",
        "Two nodes with ConnectX-6, the bandwidth that the owner expects.",
        ("BullSequana XH2000 (EPYC 7742, ConnectX-6)",),
        {"generation": "Zen 2", "network": "InfiniBand, ConnectX-6"},
    ),
    Machine(
        "epyc-7742",
        "zen",
        "Two AMD EPYC 7742",
        "Core to core in one core complex.",
        ("AMD EPYC 7742 (two sockets)",),
        {**ROME, "sockets": 2, "cores": 128},
        cores_per_ccx=4,
        cores_per_socket=64,
    ),
    Machine(
        "hpc6a",
        "zen",
        "AWS hpc6a.48xlarge",
        "96 Zen 3 cores on EFA, in a placement group.",
        ("AWS hpc6a (EFA)",),
        {**MILAN, "sockets": 2, "cores": 96, **_nic("EFA", 1, 100)},
    ),
    Machine(
        "hbv3",
        "zen",
        "Azure HBv3 (HB120rs_v3)",
        "120 Zen 3 cores with stacked cache on HDR InfiniBand.",
        ("Azure HB120rs_v3 (Milan-X)",),
        {**MILAN, "sockets": 2, "cores": 120, **_nic("HDR InfiniBand", 1, 200)},
    ),
    Machine(
        "noctua2",
        "zen",
        "Noctua 2 (PC2, Paderborn)",
        "Two EPYC 7763 a node.",
        ("PC2 Noctua 2 (2x EPYC 7763)",),
        {**MILAN, "sockets": 2, "cores": 128},
        threads=128,
    ),
    Machine(
        "alps-zen3",
        "zen",
        "Alps (CSCS), a host with Zen 3",
        "One socket, as a test of the site expects it.",
        ("CSCS Alps zen3 host",),
        {"generation": "Zen 3", "memory": "DDR4"},
    ),
    Machine(
        "epyc-7453",
        "zen",
        "AMD EPYC 7453",
        "28 cores, core to core.",
        ("AMD EPYC 7453",),
        {"generation": "Zen 3"},
        cores_per_ccx=7,
        cores_per_socket=28,
    ),
    Machine(
        "epyc-7773x",
        "zen",
        "AMD EPYC 7773X",
        "64 cores with stacked cache, core to core.",
        ("AMD EPYC 7773X",),
        {"generation": "Zen 3"},
        cores_per_ccx=8,
        cores_per_socket=64,
    ),
    Machine(
        "epyc-7r13",
        "zen",
        "AMD EPYC 7R13",
        "48 cores a socket in a cloud, core to core.",
        ("AMD EPYC 7R13",),
        {"generation": "Zen 3", "sockets": 2, "cores": 96},
        cores_per_ccx=8,
        cores_per_socket=48,
    ),
    Machine(
        "p5-48xlarge",
        "zen",
        "AWS p5.48xlarge",
        "The host of eight H100 on EFA, messages of host memory.",
        ("AWS p5.48xlarge (EFA)",),
        {"generation": "Zen 3", "sockets": 2, "cores": 96, **_nic("EFA", 32, 100)},
    ),
    Machine(
        "epyc-9274f",
        "zen-new",
        "Two AMD EPYC 9274F",
        "24 fast cores a socket, core to core.",
        ("AMD EPYC 9274F (two sockets)",),
        {"generation": "Zen 4", "sockets": 2, "cores": 48},
        cores_per_ccx=3,
        cores_per_socket=24,
    ),
    Machine(
        "hbv4",
        "zen-new",
        "Azure HBv4 (HB176rs_v4)",
        "176 Zen 4 cores with stacked cache, as the health check demands them.",
        ("Azure HB176rs_v4 (Genoa-X)",),
        {**GENOA, "sockets": 2, "cores": 176, **_nic("NDR InfiniBand", 1, 400)},
    ),
    Machine(
        "hx176rs",
        "zen-new",
        "Azure HX (HX176rs)",
        "176 Zen 4 cores with more memory, as the health check demands them.",
        ("Azure HX176rs",),
        {**GENOA, "sockets": 2, "cores": 176, **_nic("NDR InfiniBand", 1, 400)},
    ),
    Machine(
        "hunter",
        "zen-new",
        "Hunter (HLRS)",
        "The cores of four MI300A a node.",
        ("HLRS Hunter (4x MI300A a node)",),
        {
            "generation": "Zen 4",
            "sockets": 4,
            "cores": 96,
            "memory": "HBM3",
            "memory_bandwidth": 21_200,
            "network": "Slingshot 11",
        },
    ),
    Machine(
        "peta4-skylake",
        "intel",
        "CSD3 Peta4-Skylake (Cambridge)",
        "Two Xeon Gold 6142 a node on Omni-Path.",
        ("CSD3 Peta4-Skylake (2x Gold 6142)",),
        {**SKYLAKE, "sockets": 2, "cores": 32, **_nic("Omni-Path", 1, 100)},
    ),
    Machine(
        "tesseract",
        "intel",
        "Tesseract (DiRAC, EPCC)",
        "Two Xeon Silver 4116 a node on Omni-Path.",
        ("Tesseract (DiRAC, 2x Silver 4116)",),
        {**SKYLAKE, "transfers": 2400, "sockets": 2, "cores": 24, **_nic("Omni-Path", 1, 100)},
    ),
    Machine(
        "noctua1",
        "intel",
        "Noctua 1 (PC2, Paderborn)",
        "Two Xeon Gold 6148 a node.",
        ("PC2 Noctua 1 (2x Gold 6148)",),
        {**SKYLAKE, "sockets": 2, "cores": 40},
        threads=40,
    ),
    Machine(
        "swan-skylake",
        "intel",
        "Swan (Cray), Skylake nodes",
        "BabelStream by four compilers on two sockets.",
        ("Cray Swan Skylake",),
        {**SKYLAKE, "sockets": 2},
    ),
    Machine(
        "swan-cascadelake",
        "intel",
        "Swan (Cray), Cascade Lake nodes",
        "BabelStream by four compilers on two sockets.",
        ("Cray Swan Cascade Lake",),
        {**SKYLAKE, "generation": "Cascade Lake", "transfers": 2933, "sockets": 2},
    ),
    Machine(
        "c5n-18xlarge",
        "intel",
        "AWS c5n.18xlarge",
        "36 Skylake cores on EFA, a launch on each of seven operating systems.",
        ("AWS c5n.18xlarge (EFA)",),
        {"generation": "Skylake-SP", "sockets": 2, "cores": 36, **_nic("EFA", 1, 100)},
    ),
    Machine(
        "xeon-6242",
        "intel",
        "Two Intel Xeon Gold 6242",
        "16 cores a socket, core to core.",
        ("Intel Xeon Gold 6242",),
        {"generation": "Cascade Lake", "sockets": 2, "cores": 32},
        cores_per_socket=16,
    ),
    Machine(
        "xeon-8275cl",
        "intel",
        "Two Intel Xeon Platinum 8275CL",
        "24 cores a socket in a cloud, core to core.",
        ("Intel Xeon Platinum 8275CL",),
        {"generation": "Cascade Lake", "sockets": 2, "cores": 48},
        cores_per_socket=24,
    ),
    Machine(
        "xeon-8375c",
        "intel",
        "Two Intel Xeon Platinum 8375C",
        "32 cores a socket in a cloud, core to core.",
        ("Intel Xeon Platinum 8375C",),
        {"generation": "Ice Lake", "sockets": 2, "cores": 64},
        cores_per_socket=32,
    ),
    Machine(
        "crossroads",
        "intel",
        "Crossroads (ATS-3, LANL)",
        "Two Xeon Max 9480 a node with HBM alone, on Slingshot 11.",
        ("Crossroads ATS-3 (2x Xeon Max 9480, Slingshot 11)",),
        {**XEON_MAX, **_nic("Slingshot 11", 0, 200)},
    ),
    Machine(
        "rocinante",
        "intel",
        "Rocinante (testbed of Crossroads, LANL)",
        "Two Xeon Max 9480 a node.",
        ("Rocinante (testbed of Crossroads, 2x Xeon Max 9480, HBM)",),
        XEON_MAX,
    ),
    Machine(
        "voltage-park-h100",
        "intel",
        "Voltage Park H100 node",
        "The host of eight H100.",
        ("Voltage Park H100 node (8x H100 SXM5)",),
        {
            "generation": "Sapphire Rapids",
            "sockets": 2,
            "channels": 16,
            "transfers": 4800,
            "memory": "DDR5",
        },
    ),
    Machine(
        "p6-b200-48xlarge",
        "intel",
        "AWS p6-b200.48xlarge",
        "The host of eight B200 on EFA, 48 pairs of ranks at once.",
        ("AWS p6-b200.48xlarge (EFA, 8x 400 Gbit/s)",),
        {"generation": "Emerald Rapids", "sockets": 2, **_nic("EFA", 8, 400)},
    ),
    Machine(
        "grace-core",
        "neoverse",
        "NVIDIA Grace, one core",
        "Multiply-adds of one core, an example of a guide.",
        ("NVIDIA Grace (one core)",),
        GRACE,
    ),
    Machine(
        "grace-240",
        "neoverse",
        "NVIDIA Grace CPU Superchip, 240 GB",
        "144 cores, the least that its maker expects.",
        ("NVIDIA Grace CPU Superchip 240 GB (144 cores)",),
        {**GRACE, "sockets": 2, "cores": 144, "memory_bandwidth": 1024},
        threads=144,
    ),
    Machine(
        "grace-480",
        "neoverse",
        "NVIDIA Grace CPU Superchip, 480 GB",
        "144 cores, an example of a guide.",
        ("NVIDIA Grace CPU Superchip 480 GB (144 cores)",),
        {**GRACE, "sockets": 2, "cores": 144, "memory_bandwidth": 1024},
        threads=144,
    ),
    Machine(
        "gh200-120",
        "neoverse",
        "NVIDIA Grace Hopper, 120 GB",
        "72 cores, the least that its maker expects.",
        ("NVIDIA Grace Hopper 120 GB (72 cores)",),
        {**GRACE, "sockets": 1, "cores": 72, "memory_bandwidth": 512},
        threads=72,
    ),
    Machine(
        "gh200-480",
        "neoverse",
        "NVIDIA Grace Hopper, 480 GB",
        "72 cores, the least that its maker expects.",
        ("NVIDIA Grace Hopper 480 GB (72 cores)",),
        {**GRACE, "sockets": 1, "cores": 72, "memory_bandwidth": 384},
        threads=72,
    ),
    Machine(
        "alps-gh200",
        "neoverse",
        "Alps (CSCS), GH200 nodes",
        "Four Grace Hopper a node on Slingshot 11, as the tests of the site expect them.",
        ("CSCS Alps GH200 node", "CSCS Alps (Slingshot 11)"),
        {**GH200, **_nic("Slingshot 11", 4, 200)},
        threads=72,
    ),
    Machine(
        "isambard-ai",
        "neoverse",
        "Isambard-AI phase 2 (Bristol)",
        "Four Grace Hopper a node on Slingshot 11.",
        ("Isambard-AI phase 2 (4x GH200 a node)",),
        {**GH200, **_nic("Slingshot 11", 4, 200)},
        threads=288,
    ),
    Machine(
        "graviton2",
        "neoverse",
        "AWS Graviton2",
        "64 cores, BabelStream and core to core.",
        ("AWS Graviton2",),
        {
            "generation": "Neoverse N1",
            "sockets": 1,
            "cores": 64,
            "channels": 8,
            "transfers": 3200,
            "memory": "DDR4",
        },
        threads=64,
    ),
    Machine(
        "graviton3",
        "neoverse",
        "AWS Graviton3",
        "64 cores, core to core.",
        ("AWS Graviton3",),
        {
            "generation": "Neoverse V1",
            "sockets": 1,
            "cores": 64,
            "channels": 8,
            "transfers": 4800,
            "memory": "DDR5",
        },
    ),
    Machine(
        "altra-m96-28",
        "neoverse",
        "Ampere Altra Max M96-28",
        "Latency and copies of one core.",
        ("Ampere Altra M96-28",),
        {"generation": "Neoverse N1", "sockets": 1, "cores": 96, "memory": "DDR4"},
    ),
    Machine(
        "altra-q80-26",
        "neoverse",
        "Ampere Altra Q80-26",
        "Latency and copies of one core.",
        ("Ampere Altra Q80-26",),
        {"generation": "Neoverse N1", "sockets": 1, "cores": 80, "memory": "DDR4"},
    ),
    Machine(
        "cax11",
        "neoverse",
        "Hetzner CAX11",
        "A virtual machine on an Ampere Altra, latency of one core.",
        ("Hetzner CAX11 (Ampere Altra VM)",),
        {"generation": "Neoverse N1", "memory": "DDR4"},
    ),
    Machine(
        "huaqin-p6410",
        "neoverse",
        "Huaqin P6410 (two Ampere Altra Max)",
        "Latency and copies of one core.",
        ("Huaqin P6410 (2x Ampere Altra Max)",),
        {"generation": "Neoverse N1", "sockets": 2, "memory": "DDR4"},
    ),
    Machine(
        "isambard-xc50",
        "arm",
        "Isambard (Cray XC50, Bristol)",
        "Two ThunderX2 a node on Aries.",
        ("Isambard (XC50, 2x ThunderX2)",),
        {**THUNDERX2, "network": "Aries"},
    ),
    Machine(
        "fulhame",
        "arm",
        "Fulhame (HPE Apollo 70, EPCC)",
        "Two ThunderX2 a node on EDR InfiniBand.",
        ("Fulhame (2x ThunderX2, EDR InfiniBand)",),
        {**THUNDERX2, **_nic("EDR InfiniBand", 0, 100)},
    ),
    Machine(
        "fx1000",
        "arm",
        "Fujitsu FX1000 (A64FX)",
        "48 cores with memory on the package, BabelStream by three compilers.",
        ("Fujitsu FX1000 (A64FX)",),
        {
            "generation": "A64FX",
            "sockets": 1,
            "cores": 48,
            "memory": "HBM2",
            "memory_bandwidth": 1024,
        },
        threads=48,
    ),
    Machine(
        "emag",
        "arm",
        "Ampere eMAG",
        "32 cores, BabelStream.",
        ("Ampere eMAG",),
        {
            "generation": "eMAG",
            "sockets": 1,
            "cores": 32,
            "channels": 8,
            "transfers": 2666,
            "memory": "DDR4",
        },
        threads=32,
    ),
    Machine(
        "ampereone-a192-32x",
        "arm",
        "AmpereOne A192-32X",
        "Latency and copies of one core.",
        ("AmpereOne A192-32X",),
        {"generation": "AmpereOne", "sockets": 1, "cores": 192, "memory": "DDR5"},
    ),
    Machine(
        "gb10",
        "arm",
        "Dell FCM1253 (GB10)",
        "Ten fast and ten small cores, latency and copies of one fast core.",
        ("Dell FCM1253 (GB10)",),
        {
            "generation": "GB10",
            "sockets": 1,
            "cores": 20,
            "memory": "LPDDR5X",
            "memory_bandwidth": 273,
        },
    ),
    Machine(
        "isambard-power9",
        "power-and-others",
        "Isambard (POWER9 nodes)",
        "Two POWER9, BabelStream by three compilers.",
        ("Isambard POWER9",),
        {
            "generation": "POWER9",
            "sockets": 2,
            "channels": 16,
            "transfers": 2666,
            "memory": "DDR4",
        },
    ),
    *(
        Machine(
            f"discovery-{network.lower()}",
            "power-and-others",
            f"Discovery (USC), {network} nodes",
            "One-sided transfers between two nodes, as the tests of the site expect them.",
            (f"USC Discovery {network}",),
            {
                "generation": "several",
                **_nic(f"{network.rstrip('0123456789')} InfiniBand", 0, int(network[3:])),
            },
        )
        for network in ("HDR100", "HDR200", "NDR200")
    ),
    *(
        Machine(id, "hpl", name, "HPL over all cores, and the power at the wall.", (system,), of)
        for id, name, system, of in OF_HPL
    ),
)

MESSAGE: Fields = {"pattern": "ping-pong", "way": "blocking", "data": "contiguous"}
BYTES = {"B": 1, "kB": 1000, "MB": 10**6, "KiB": 2**10, "MiB": 2**20}
# Of several builds or MPIs of one point the first of these is taken, and the others are named.
PREFERRED = ("gcc", "Open MPI", "openmpi", "zen2")
REWORDED = (
    ("diffswitch", "at different switches"),
    ("sameswitch", "at one switch"),
    ("intraccx", "two ranks in one core complex"),
    ("internode", "2 nodes"),
    ("Array size: 4295.0 MB (=4.3 GB)", ""),
    ("openmpi", "Open MPI"),
    ("; ", ", "),
)
OTHER_BUILD = "another build or MPI of the same point (named in the note)"


def _size(text: str) -> int:
    number, unit = re.match(r"(\d+) (\w+)", text).groups()  # type: ignore[union-attr]
    return int(number) * BYTES[unit]


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    return int(found.group(1)) if found else 0


def _bytes(size: int) -> str:
    for unit, factor in (("m", 2**20), ("k", 2**10)):
        if size >= factor and size % factor == 0:
            return f"{size // factor}{unit}ib"
    return f"{size}b"


def _stream(row: Row, machine: Machine) -> Shape | str:
    kernel = re.search(r"kernel=(\w+)", row["machmeter_benchmark"])
    if not kernel:
        return "memory bandwidth whose kernel is not stated"
    parameters: Fields = {"kernel": kernel.group(1)}
    layout: Fields = {"nodes": 1, "ranks_per_node": 1}
    config, caveat = row["config"], row["comparability"]
    statistic = "mean" if "mean over sweeps" in caveat or "ten sweeps" in caveat else "best"
    of_the_build, note = _stores(row)
    parameters |= of_the_build
    ranks = _number(r"^(\d+) ranks", config)
    if "MPI" in config or ranks:
        layout["ranks_per_node"] = ranks if row["x"] == "1 node" else _number(r"(\d+)", row["x"])
    elif "1 thread" in row["machmeter_benchmark"]:
        layout["threads_per_rank"] = 1
    elif machine.threads and row["x"] != "1 socket":
        layout["threads_per_rank"] = machine.threads
    if "Julia" in config:
        parameters |= {"stores": "temporal", "size": 960_000_000}
        statistic = "mean"
    suffix = f"-{layout['ranks_per_node']}" if layout["ranks_per_node"] != 1 or ranks else ""
    id = f"{parameters['kernel']}{suffix}"
    id += "-nt" if parameters.get("stores") == "nontemporal" else ""
    return Shape(
        id,
        "memory.stream",
        "stream_bandwidth",
        row["unit"],
        parameters,
        layout,
        "" if row["comparability"].startswith("reference") else statistic,
        note=note,
    )


def _stores(row: Row) -> tuple[Fields, str]:
    """What a build of BabelStream says of its stores and arrays, and why."""
    config, size = row["config"], row["config"].find("Array size: 4295.0 MB")
    known: Fields = {"size": 2**32} if size >= 0 else {}
    if size < 0:
        return known, ""
    if config.startswith("gcc"):
        return known | {"stores": "temporal"}, "GCC chooses no non-temporal stores for such loops"
    if config.startswith("intel") and "Swan" in row["system"]:
        return known | {"stores": "nontemporal"}, (
            "its stores are taken for non-temporal, as it is about 4/3 of what other compilers "
            "reach"
        )
    if config.startswith("fujitsu"):
        return known, "the compiler clears lines before it writes them, so they are not read"
    return known, ""


def _memory_latency(row: Row, machine: Machine) -> Shape | str:
    del machine
    size, layout = _size(row["x"]), Fields(nodes=1, ranks_per_node=1, threads_per_rank=1)
    pages = re.search(r"(\d+) ([KM]iB) pages", row["config"])
    in_cache = row["x"] == "16 MiB" or "SUSPICIOUS" in row["notes"]
    suffix = ""
    if pages:
        layout["page_bytes"] = int(pages.group(1)) * BYTES[pages.group(2)]
        suffix = f"-{_bytes(int(layout['page_bytes']))}-pages"
    return Shape(
        f"latency-{_bytes(size)}{suffix}",
        "memory.latency",
        "latency",
        "ns",
        {"size": size},
        layout,
        "best" if "least of the repetitions" in row["comparability"] else "",
        note=f"{row['x']} may be in the last cache" if in_cache else "",
    )


def _gemm(row: Row, machine: Machine) -> Shape | str:
    parameters: Fields = {"precision": "double"}
    layout: Fields = {"nodes": 1, "ranks_per_node": 1}
    if "HPCC" in row["key_or_benchmark"]:
        layout["ranks_per_node"] = 1 if row["x"] == "1 thread" else _number(r"(\d+)", row["config"])
        layout["threads_per_rank"] = 1
    elif "order 2500" in row["comparability"]:
        parameters["order"] = 2500
        layout["threads_per_rank"] = _number(r"(\d+)", row["x"])
    else:
        layout["threads_per_rank"] = machine.threads
    ids = "-".join(str(value) for value in list(layout.values())[1:])
    return Shape(f"dgemm-{ids}", "compute.gemm", "flops", row["unit"], parameters, layout)


def _fma(row: Row, machine: Machine) -> Shape | str:
    del machine
    parameters: Fields = {"width": "128-bit", "precision": "double"}
    layout: Fields = {"nodes": 1, "ranks_per_node": 1, "threads_per_rank": 1}
    return Shape("fma", "compute.fma", "flops", row["unit"], parameters, layout)


def _message_latency(row: Row, machine: Machine) -> Shape | str:
    del machine
    if "TRAP" in row["notes"] or "check placement" in row["notes"]:
        return "between nodes by its label, in one node by its value"
    size, config, relation, place = _size(row["x"]), row["config"], "", ""
    note = ""
    if re.match(r"intra(ccx|node|numa|socket)", config):
        if not config.startswith("intraccx"):
            return "two ranks of one node, so far from each other as no layout says"
        place, note = "-one-node", "both ranks in one core complex"
    elif "of one node" in config:
        place = "-one-node"
    for word, text in (("sameswitch", "same switch"), ("diffswitch", "other switch")):
        if word in config:
            relation, place = text, f"-{text.replace(' ', '-')}"
    in_node = place == "-one-node"
    return Shape(
        f"message-{_bytes(size)}{place}",
        "network.latency",
        "latency",
        row["unit"],
        MESSAGE | {"size": size, "buffers": "hot"},
        {"nodes": 1, "ranks_per_node": 2} if in_node else {"nodes": 2, "ranks_per_node": 1},
        _of_repetitions(row),
        relation,
        note=note,
    )


def _of_repetitions(row: Row) -> str:
    """OSU and IMB print the mean of all repetitions; a document may have chosen among several."""
    if row["comparability"].startswith("reference value"):
        return ""
    return "best" if "best over all" in row["comparability"] else "mean"


def _message_bandwidth(row: Row, machine: Machine) -> Shape | str:
    del machine
    direction = "both-ways" if "both-ways" in row["machmeter_benchmark"] else "one-way"
    pairs = _number(r"(\d+) pairs", row["config"])
    # OSU sends powers of two.
    size = _size(row["x"].replace("MB", "MiB"))
    parameters: Fields = {"size": size, "direction": direction, "window": 64, "buffers": "hot"}
    return Shape(
        f"bandwidth-{direction}-{_bytes(size)}",
        "network.bandwidth",
        f"bandwidth_{direction.replace('-', '_')}",
        row["unit"],
        parameters,
        {"nodes": 2, "ranks_per_node": pairs or 1},
        "mean of ranks" if pairs else _of_repetitions(row),
    )


def _collective(row: Row, machine: Machine) -> Shape | str:
    del machine
    operation = row["machmeter_benchmark"].partition("operation=")[2]
    size, nodes = _size(row["x"]), _number(r"(\d+) nodes", row["x"])
    ranks = _number(r"(\d+) ranks a node", row["config"]) or _number(r"(\d+) rank each", row["x"])
    slowest = "slowest rank" in row["comparability"].partition(",")[0]
    parameters: Fields = {"operation": operation, "size": size, "form": "blocking"}
    if slowest:
        parameters["start"] = "barrier"
        parameters |= {"datatype": "float"} if operation == "allreduce" else {}
    return Shape(
        f"{operation}-{_bytes(size)}"
        + (f"-{nodes}-nodes" if nodes else "").replace("-1-nodes", "-1-node"),
        "network.collective",
        "time",
        row["unit"],
        parameters,
        {"nodes": nodes, "ranks_per_node": ranks} if nodes else {},
        "slowest rank" if slowest else "mean of ranks",
    )


def _onesided(row: Row, machine: Machine) -> Shape | str:
    del machine
    many, size = "bandwidth" in row["key_or_benchmark"], _size(row["x"])
    return Shape(
        f"get-{'bandwidth' if many else 'time'}-{_bytes(size)}",
        "network.onesided",
        "bandwidth" if many else "time",
        row["unit"],
        {"operation": "get", "size": size, "outstanding": 64 if many else 1},
        {"nodes": 2, "ranks_per_node": 1},
    )


def _pairs(row: Row, machine: Machine) -> Shape | str:
    x, ccx, socket = row["x"], machine.cores_per_ccx, machine.cores_per_socket
    groups = re.fullmatch(r"group (\d) of (\d) .*", x)
    if groups:
        one_group = groups.group(2) == "1"
        if one_group and ccx:
            return "a group of pairs whose CPUs are not named"
        names = ("same L3",) if one_group else ("same L3", "same socket, other L3")
        x = names[int(groups.group(1)) - 1]
    second = {
        "same core (SMT)": (machine.hardware.get("cores") or socket, "same core", "same-core"),
        "same L3": (1, "same L3", "same-l3"),
        "same socket, other L3": (ccx, "same NUMA domain", "other-l3"),
        "other socket": (socket, "same machine", "other-socket"),
    }
    number, kind, name = second[x]
    return Shape(
        f"pair-{name}",
        "threads.pairs",
        "one_way",
        row["unit"],
        {"pair": f"0-{number}", "protocol": "compare-and-swap"},
        {"nodes": 1},
        "median",
        kind=kind,
        note="the two numbers stand for all pairs that share as much"
        + ("; a NUMA domain a socket is assumed" if name == "other-l3" else ""),
    )


def _hpl(row: Row, machine: Machine) -> Shape | str:
    del machine
    return Shape("hpl", "", "", row["unit"], {}, {"nodes": 1})


RULES: tuple[tuple[str, Callable[[Row, Machine], Shape | str]], ...] = (
    ("memory.stream", _stream),
    ("memory.latency", _memory_latency),
    ("compute.gemm", _gemm),
    ("compute.fma", _fma),
    ("network.latency", _message_latency),
    ("network.bandwidth", _message_bandwidth),
    ("network.collective", _collective),
    ("network.onesided", _onesided),
    ("threads.pairs", _pairs),
    ("workload hpl", _hpl),
)


def shaped(rows: Iterable[Row], machine: Machine, left_out: Counter[str]) -> list[Found]:
    """The rows of a machine that can be expressed, one for each point; the others are counted."""
    found: dict[object, Found] = {}
    others: dict[object, list[Row]] = {}
    for row in rows:
        rule = next((rule for name, rule in RULES if row["machmeter_benchmark"].startswith(name)))
        shape = rule(row, machine)
        if isinstance(shape, str):
            left_out[shape] += 1
            continue
        key = (shape.id, shape.relation)
        one = Found(row, shape)
        if key in found:
            left_out[OTHER_BUILD] += 1
            if _preference(row) < _preference(found[key].row):
                one, found[key] = found[key], one
            others.setdefault(key, []).append(one.row)
        else:
            found[key] = one
    return [_naming_others(one, others.get(key, ())) for key, one in found.items()]


def _preference(row: Row) -> int:
    places = [place for place, word in enumerate(PREFERRED) if word in row["config"]]
    is_threshold = row["comparability"].startswith("reference value")
    return min(places, default=len(PREFERRED)) + is_threshold * (len(PREFERRED) + 1)


def _naming_others(one: Found, others: Iterable[Row]) -> Found:
    texts = ", ".join(f"{_build(row)} {row['value']}" for row in others)
    if not texts:
        return one
    text = f"{one.shape.id} with {texts} {one.row['unit']}"
    return Found(one.row, one.shape._replace(others=text))


def _build(row: Row) -> str:
    """The compiler or the MPI of a row."""
    config = row["config"]
    if "least to expect" in row["key_or_benchmark"]:
        return "the least that its maker expects,"
    if "node-burn" in row["key_or_benchmark"]:
        return "node-burn"
    mpi = re.search(r"(HPC-X|Intel MPI|MVAPICH2|intelmpi|HPE MPT [\d.]+|Cray MPICH [\d.]+)", config)
    return mpi.group(1).replace("intelmpi", "Intel MPI") if mpi else config.partition(",")[0]


def _address(source: str) -> tuple[str, str, str]:
    """Title, address with its line, and what is said of the place beside it."""
    title, address, place = [*source.split("; "), "", ""][:3]
    address = address.replace("/results/*/", "/results/alinux2/")
    line = re.match(r"line (\d+)", place)
    return title, f"{address}#L{line.group(1)}" if line else address, place


def tables(found: Iterable[Found]) -> dict[tuple[str, ...], list[Found]]:
    """Figures by what a table says once, in the order of the rows."""
    grouped: dict[tuple[str, ...], list[Found]] = {}
    for one in found:
        title, address, _ = _address(one.row["source"])
        own = {**one.shape.parameters}
        for name in ("size", "pair", "kernel"):
            own.pop(name, None)
        key = (
            title,
            address.partition("#")[0],
            one.row["config"],
            _caveat(one.row),
            one.row["precision"],
            _tolerance(one.row),
            one.shape.benchmark,
            one.shape.metric,
            one.shape.unit,
            one.shape.statistic,
            one.shape.relation,
            str(own),
            str(one.shape.layout),
        )
        grouped.setdefault(key, []).append(one)
    for group in grouped.values():
        group.sort(key=lambda one: _line(one.row))
    return grouped


def _line(row: Row) -> int:
    return _number(r"line (\d+)", row["source"])


def _text(value: str | float | int | bool) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else str(value)


def _inline(fields: Mapping[str, str | int | float]) -> str:
    return "{ " + ", ".join(f"{name} = {_text(value)}" for name, value in fields.items()) + " }"


def _decimals(row: Row) -> int:
    exponent = Decimal(row["value"]).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    return -1 if "rounded to tens" in row["precision"] else digits


def _figure(one: Found, decimals: int, varying: set[str]) -> str:
    shape, value = one.shape, Decimal(one.row["value"])
    number = str(value) if _decimals(one.row) > 0 else _text(int(value))
    parts = [f'id = "{shape.id}"', f"value = {number}"]
    launches = re.search(r"launches: ([\d., ]+)", one.row["notes"])
    if launches:
        parts.append(f"launches = [{launches.group(1).strip(' ,')}]")
    if _decimals(one.row) != decimals:
        parts.append(f"decimals = {_decimals(one.row)}")
    own = {name: value for name, value in shape.parameters.items() if name in varying}
    if own:
        parts.append(f"parameters = {_inline(own)}")
    return f"  {{ {', '.join(parts)} }},"


def _note(group: list[Found]) -> str:
    row = group[0].row
    notes = [_caveat(row)]
    if "mean time" in row["precision"]:
        notes.append("bytes over the mean time, which is printed with fewer digits")
    if row["precision"].startswith(("median of", "printed per rank", "read off")):
        notes.append(row["precision"])
    notes += dict.fromkeys(part for one in group for part in one.shape.note.split("; "))
    # Of many sizes the first ones tell how far the builds are apart.
    notes += [one.shape.others for one in group if one.shape.others][:2]
    notes.append(_tolerance(row))
    return "; ".join(filter(None, notes))


def _tolerance(row: Row) -> str:
    found = re.search(r"tolerance [-+\d/% ]+", row["notes"])
    return found.group(0).strip() if found else ""


def _caveat(row: Row) -> str:
    """In what the definition of a row differs, and that it is no measurement."""
    kind, _, text = row["comparability"].partition(": ")
    for said in ("; size as x, inside the last cache on some chips", ", BLAS named in its issue"):
        text = text.replace(said, "")
    return "" if kind == "same" else text


def _page(group: list[Found], place: str) -> str:
    """What was run, how, and on which lines its numbers stand."""
    first = group[0].row
    key = first["key_or_benchmark"]
    tool = re.search(r"\((.*)\)", key)
    name = tool.group(1) if tool else key.partition(" ")[2]
    words = first["config"]
    if key.startswith("threads.pairs"):
        name = "core-to-core-latency"
        words = words if re.match(r"matrix|\d+ iterations", words) else ""
    for said, better in REWORDED:
        words = words.replace(said, better)
    words = re.sub(r"\b1 nodes", "1 node", words).rstrip(", ")
    lines = sorted({_line(one.row) for one in group})
    if all(lines) and len(lines) > 1:
        more = place.partition(" and ")[2]
        place = f"lines {', '.join(map(str, lines))}" + (f" and {more}" if more else "")
    return ", ".join(filter(None, (name, words, place)))


def _table(group: list[Found], source: str) -> Iterator[str]:
    first, shape = group[0].row, group[0].shape
    title, address, place = _address(first["source"])
    decimals = max(_decimals(one.row) for one in group)
    varying = {
        name
        for name, value in shape.parameters.items()
        if any(one.shape.parameters[name] != value for one in group)
    } | ({"size", "pair", "kernel"} & shape.parameters.keys() if len(group) > 1 else set())
    shared = {name: value for name, value in shape.parameters.items() if name not in varying}
    yield "\n[[tables]]"
    yield f"page = {_text(_page(group, place))}"
    if title != source:
        yield f"source = {_text(title)}"
    yield f"address = {_text(address)}"
    if not shape.benchmark:
        yield 'workload = "hpl"\nquantity = "floating-point rate"\nbetter = "higher"'
    else:
        yield f'benchmark = "{shape.benchmark}"\nmetric = "{shape.metric}"'
    yield f'unit = "{shape.unit}"\ndecimals = {decimals}'
    if first["comparability"].startswith("reference value"):
        yield 'precision = "threshold"'
    elif first["precision"].startswith("read off"):
        yield 'precision = "read off a plot"'
    for name, value in (("statistic", shape.statistic), ("relation", shape.relation)):
        if value:
            yield f'{name} = "{value}"'
    if note := _note(group):
        yield f"note = {_text(note)}"
    if shared:
        yield f"parameters = {_inline(shared)}"
    if shape.layout:
        yield f"layout = {_inline(shape.layout)}"
    yield "figures = ["
    yield from (_figure(one, decimals, varying) for one in group)
    yield "]"


def _parts(hardware: Fields) -> Iterator[tuple[str, str]]:
    """The hardware as people are shown it."""
    of = hardware.get
    processors = (
        f"{of('sockets')} x {of('generation')}" if "sockets" in hardware else of("generation")
    )
    yield (
        "processors",
        f"{processors}, {of('cores')} cores" if "cores" in hardware else str(processors),
    )
    if "memory_bandwidth" in hardware:
        yield "memory", f"{of('memory', '')} with at most {of('memory_bandwidth')} GB/s".strip()
    elif "channels" in hardware:
        yield "memory", f"{of('channels')} channels of {of('memory')}-{of('transfers')}"
    else:
        yield "memory", str(of("memory", ""))
    links = f"{of('nics')} x " if "nics" in hardware else ""
    rate = f", {links}{of('nic_gigabits')} Gbit/s" if "nic_gigabits" in hardware else ""
    yield "network", f"{of('network')}{rate}" if "network" in hardware else ""


def document(machine: Machine, found: list[Found], watts: str) -> str:
    """The file of a machine."""
    source = _address(found[0].row["source"])[0]
    lines = [
        "format = 1",
        f'id = "{machine.id}"',
        f"name = {_text(machine.name)}",
        f"summary = {_text(machine.summary)}",
        f"source = {_text(source)}",
        f"year = {found[0].row['year']}",
    ]
    if watts:
        lines += ["", "[counts]", "nodes = 1", f"watts = {watts}"]
    lines += ["", "[parts]"]
    lines += [f"{name} = {_text(said)}" for name, said in _parts(machine.hardware) if said]
    lines += ["", "[hardware]"]
    lines += [f"{name} = {_text(value)}" for name, value in machine.hardware.items()]
    kinds = {str(one.shape.parameters["pair"]): one.shape.kind for one in found if one.shape.kind}
    if kinds:
        order = ("same core", "same L3", "same NUMA domain", "same machine")
        lines += ["", "[kinds]"]
        for pair, kind in sorted(kinds.items(), key=lambda item: order.index(item[1])):
            lines.append(f'"{pair}" = "{kind}"')
    for group in tables(found).values():
        lines += _table(group, source)
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Writes the files and prints what was left out."""
    folder = Path(arguments[1]) if len(arguments) > 1 else MACHINES_FOLDER
    with Path(arguments[0]).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    left_out: Counter[str] = Counter()
    figures = 0
    for machine in MACHINES:
        own = [row for row in rows if row["system"] in machine.systems]
        watts = [row["value"] for row in own if row["machmeter_benchmark"].startswith("counts")]
        of_figures = [row for row in own if not row["machmeter_benchmark"].startswith("counts")]
        found = shaped(of_figures, machine, left_out)
        path = folder / machine.folder / f"{machine.id}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document(machine, found, "".join(watts)), encoding="utf-8")
        figures += len(found) + len(watts)
    systems = {system for machine in MACHINES for system in machine.systems}
    left_out["system not among those shipped"] = sum(row["system"] not in systems for row in rows)
    sys.stdout.write(f"{len(MACHINES)} machines, {figures} figures of {len(rows)} rows\n")
    for reason, count in left_out.most_common():
        sys.stdout.write(f"{count:5} left out: {reason}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
