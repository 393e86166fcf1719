"""Figures made up for tests: messages between pairs of ranks."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout, ProgressMode
from machmeter.model.point import make_point
from machmeter.model.results.curves import ProtocolCurve, ProtocolRegion
from machmeter.model.results.estimate import Estimate
from machmeter.model.variant import Variant
from tests.support.synthetic.maker import Maker

SIZES = (0, 1, 2, 4, 8, *(2**power for power in range(4, 23)))
EAGER_LIMIT = 16384
PLAIN: dict[str, Value] = {
    "pattern": "ping-pong", "way": "blocking", "data": "contiguous", "buffers": "hot",
}  # fmt: skip


def _time(size: int) -> float:
    return 0.42e-6 + size / 9.5e9 + (0.9e-6 if size > EAGER_LIMIT else 0)


def latency(make: Maker, slow: float) -> list[Estimate]:
    one_node, two_nodes = Layout(ranks_per_node=2), Layout(nodes=2)
    found = []
    for layout, factor in ((one_node, 1.0), (two_nodes, 4.2)):
        for size in SIZES:
            time = slow * factor * _time(size)
            found.append(_one(make, {"size": size, **PLAIN}, layout, time))
    variants = (
        ("pattern", "ping-ping", 1.2), ("way", "nonblocking", 1.05), ("way", "persistent", 0.97),
        ("way", "matched-probe", 1.4), ("data", "vector", 2.3), ("data", "indexed", 2.9),
        ("buffers", "cold", 1.9),
    )  # fmt: skip
    for name, value, factor in variants:
        for size in (8, 1024, 65536, 1048576):
            parameters = {"size": size, **PLAIN, name: value}
            found.append(_one(make, parameters, one_node, slow * factor * _time(size)))
    return found


def _one(make: Maker, parameters: dict[str, Value], layout: Layout, time: float) -> Estimate:
    return make.estimate("network.latency", parameters, layout, "latency", time, 0.013)


def protocols(layout: Layout, variant: Variant) -> ProtocolCurve:
    """Two regions, with a step of 0.9 us at the eager limit."""
    slow = 1.0 if variant.mpi != "openmpi" else 0.7
    regions = []
    for first, last, alone in ((0, EAGER_LIMIT, 0.42e-6), (2 * EAGER_LIMIT, SIZES[-1], 1.32e-6)):
        startup, per_byte = alone * slow, slow / 9.5e9
        step = 0.9e-6 * slow if first else 0.0
        regions.append(
            ProtocolRegion(
                first, last, startup, 0.98 * startup, 1.02 * startup,
                per_byte, 0.97 * per_byte, 1.03 * per_byte, step, 0.95 * step, 1.05 * step,
            )
        )  # fmt: skip
    point = make_point("network.latency", {"size": 8, **PLAIN}, layout, variant)
    return ProtocolCurve(point, "latency", tuple(regions))


def pairs(make: Maker, slow: float) -> list[Estimate]:
    found = []
    for package, counts in ((-1, (1, 2, 4, 8)), (0, (1, 2, 4)), (1, (1, 2, 4))):
        for count in counts:
            layout = Layout(ranks_per_node=2 * count, package=package)
            for size in (8, 4096, 1048576):
                for definition, factor in (("classic", 1.0), ("barrier", 1.6)):
                    time = slow * factor * _time(size) * (1 + 0.08 * count)
                    parameters: dict[str, Value] = {"size": size, "definition": definition}
                    for metric, share in (("latency", 1.0), ("mean_latency", 0.93)):
                        found.append(
                            make.estimate(
                                "network.pairs", parameters, layout, metric, share * time, 0.02
                            )
                        )
    return found


def _windowed(
    make: Maker, layout: Layout, size: int, direction: str, window: int, slow: float
) -> list[Estimate]:
    both = direction == "both-ways"
    pairs_at_once = layout.ranks // 2
    messages = pairs_at_once**0.7 * (1.55 if both else 1.0)
    rate = messages / (slow * (0.11e-6 * (1 + 8 / window) + size / 12.4e9))
    parameters: dict[str, Value] = {
        "size": size, "direction": direction, "window": window, "buffers": "hot",
    }  # fmt: skip
    name = "bandwidth_both_ways" if both else "bandwidth_one_way"
    return [
        make.estimate("network.bandwidth", parameters, layout, metric, value, 0.012)
        for metric, value in ((name, rate * size), ("message_rate", rate))
    ]


def bandwidth(make: Maker, slow: float) -> list[Estimate]:
    found = []
    for size in (4**power for power in range(12)):
        for direction in ("one-way", "both-ways"):
            found += _windowed(make, Layout(ranks_per_node=2), size, direction, 64, slow)
    for count in (1, 2, 4, 8):
        layout = Layout(ranks_per_node=2 * count)
        for size in (8, 1048576):
            for window in (1, 16, 64) if count == 1 else (1, 64):
                found += _windowed(make, layout, size, "one-way", window, slow)
    return found


def threads(make: Maker, slow: float) -> list[Estimate]:
    found = []
    for count in (1, 2, 4, 8):
        layout = Layout(ranks_per_node=2, threads_per_rank=count)
        for size in (8, 65536):
            for window in (1, 64):
                time = slow * window * (0.2e-6 + size / 9e9) * count**1.1
                parameters: dict[str, Value] = {"size": size, "window": window}
                rate = count * window / time
                for metric, value in (("event_time", time), ("message_rate", rate)):
                    found.append(
                        make.estimate("network.threads", parameters, layout, metric, value, 0.03)
                    )
    return found


def overlap(make: Maker) -> list[Estimate]:
    found = []
    for progress, reserved, more in (
        (ProgressMode.LIBRARY, 0, 0.0),
        (ProgressMode.THREAD, 0, 0.3),
        (ProgressMode.RESERVED, 1, 0.45),
    ):
        layout = Layout(ranks_per_node=2, progress=progress, reserved_cores=reserved)
        for size in (16384, 65536, 262144, 1048576, 4194304):
            for side, level in (("send", 0.5), ("receive", 0.2)):
                share = (level + more) / (1 + 20000 / size)
                parameters: dict[str, Value] = {"size": size, "side": side, "work_percent": 100}
                for metric, factor in (("work_hidden", 1.0), ("communication_hidden", 0.93)):
                    found.append(
                        make.estimate(
                            "network.overlap", parameters, layout, metric, factor * share, 0.02
                        )
                    )
    return found


def availability(make: Maker) -> list[Estimate]:
    return [
        make.estimate(
            "network.availability",
            {"size": size, "side": side},
            Layout(ranks_per_node=2),
            "availability",
            level / (1 + size / 60000),
            0.03,
        )
        for size in (1024, 8192, 16384, 32768, 131072, 1048576)
        for side, level in (("send", 0.92), ("receive", 0.85))
    ]
