"""Figures made up for tests: the benchmarks of the study `quick`."""

from __future__ import annotations

import math

from machmeter.model.benchmark import Value
from machmeter.model.layout import BASE_PAGE, HUGE_PAGE, Layout, WaitPolicy
from machmeter.model.results.estimate import Estimate
from tests.support.synthetic.maker import Maker, unresolved

KERNELS = {
    "copy": (1.0, 1.5),
    "scale": (0.99, 1.5),
    "add": (1.06, 1.33),
    "triad": (1.05, 1.33),
    "read": (0.8, 1.0),
    "write": (1.1, 2.0),
    "update": (1.2, 1.0),
}
CONSTRUCTS = {
    "parallel": 0.9e-6,
    "for": 0.45e-6,
    "barrier": 0.4e-6,
    "reduction": 1.1e-6,
    "single": 0.5e-6,
    "critical": 0.06e-6,
}
MESSAGE_SIZES = (0, *(2**power for power in range(23)))


def stream(make: Maker, threads: tuple[int, ...]) -> list[Estimate]:
    found = []
    for kernel, (factor, traffic) in KERNELS.items():
        for count in threads:
            for pages in (BASE_PAGE, HUGE_PAGE):
                for stores in ("temporal", "nontemporal"):
                    if kernel == "read" and stores == "nontemporal":
                        continue
                    layout = Layout(threads_per_rank=count, page_bytes=pages)
                    parameters: dict[str, Value] = {
                        "kernel": kernel,
                        "stores": stores,
                        "size": 128 * 2**20,
                    }
                    rate = 13.4e9 * factor * min(count, 24) ** 0.93
                    rate *= 1.31 if stores == "nontemporal" else 1.0
                    rate *= 1.14 if pages == HUGE_PAGE else 1.0
                    bus = rate * (traffic if stores == "temporal" else 1.0)
                    for metric, value in (
                        ("stream_bandwidth", rate),
                        ("bus_bandwidth", bus),
                    ):
                        spread = 0.07 if kernel == "update" and count == 1 else 0.012
                        found.append(
                            make.estimate(
                                "memory.stream", parameters, layout, metric, value, spread
                            )
                        )
    return found


def _latency_at(size: int, pages: int) -> float:
    value = 1.3e-9
    for knee, level in ((32 * 2**10, 4.6e-9), (2 * 2**20, 35e-9), (12 * 2**20, 118e-9)):
        value += (level - value) / (1 + (knee / size) ** 3)
    return value * (1.0 if pages == HUGE_PAGE else 1 + 0.35 / (1 + 2**22 / size))


def latency(make: Maker) -> list[Estimate]:
    return [
        make.estimate(
            "memory.latency",
            {"size": size},
            Layout(page_bytes=pages),
            "latency",
            _latency_at(size, pages),
        )
        for pages in (BASE_PAGE, HUGE_PAGE)
        for power in range(12, 27)
        for size in (2**power, 3 * 2 ** (power - 1))
    ]


def sync(make: Maker, threads: tuple[int, ...]) -> list[Estimate]:
    found = []
    for construct, base in CONSTRUCTS.items():
        for count in threads:
            for policy in WaitPolicy:
                factor = (
                    14 if policy is WaitPolicy.PASSIVE and construct != "critical" else 1.0
                ) * (0.2 + math.log2(count) if count > 1 else 0.08)
                layout = Layout(threads_per_rank=count, wait_policy=policy)
                one = make.estimate(
                    "threads.sync",
                    {"construct": construct},
                    layout,
                    "overhead",
                    base * factor,
                    0.05,
                )
                if construct == "critical" and count == 1:
                    one = unresolved(one)
                found.append(one)
    return found


def network(make: Maker) -> list[Estimate]:
    layout = Layout(ranks_per_node=2)
    found = []
    for size in MESSAGE_SIZES:
        time = 0.42e-6 + size / 9.5e9 + (0.9e-6 if size > 16384 else 0)
        spread = 0.05 if size == 65536 else 0.013
        found.append(
            make.estimate("network.latency", {"size": size}, layout, "latency", time, spread)
        )
    for size in MESSAGE_SIZES[1:]:
        for direction, name, factor in (
            ("one-way", "bandwidth_one_way", 1.0),
            ("both-ways", "bandwidth_both_ways", 1.55),
        ):
            rate = factor * size / (0.11e-6 + size / 12.4e9)
            parameters: dict[str, Value] = {"size": size, "direction": direction, "window": 64}
            for metric, value in (
                (name, rate),
                ("message_rate", rate / size),
            ):
                found.append(make.estimate("network.bandwidth", parameters, layout, metric, value))
    return found


def overlap(make: Maker) -> list[Estimate]:
    found = []
    for size in (1024, 8192, 65536, 262144, 1048576, 4194304):
        for side, level in (("send", 0.9), ("receive", 0.35)):
            share = level / (1 + 20000 / size)
            for metric, value in (
                ("work_hidden", share),
                ("communication_hidden", share * 0.93),
            ):
                found.append(
                    make.estimate(
                        "network.overlap",
                        {"size": size, "side": side, "work_percent": 100},
                        Layout(ranks_per_node=2),
                        metric,
                        value,
                        0.02,
                    )
                )
    return found
