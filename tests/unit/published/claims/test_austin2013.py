"""Every figure of Edison and Hopper as it is printed, and what follows from it."""

from __future__ import annotations

import pytest

from machmeter.model.layout import ProgressMode
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed import HowKnown
from machmeter.published.estimates import published_estimates
from machmeter.published.format import Product
from machmeter.published.formulas import evaluate, finder, half_unit, published_numbers
from machmeter.published.load import published_machine

MACHINES = [published_machine(name) for name in ("edison", "hopper", "edison-full")]
VALUES = {name: known.value for name, known in published_numbers(MACHINES).items()}
TABLES = {
    f"{machine.id}/{figure.id}": table
    for machine in MACHINES
    for table in machine.tables
    for figure in table.figures
}
ESTIMATES = {
    f"{machine.id}/{one.printed.id if one.printed else ''}": one
    for machine in MACHINES
    for one in published_estimates(machine)
}
CODES = ("minife", "minighost", "amg", "umt")
# In the units printed.
PRINTED = {
    "edison/latency-first-socket": (1.5, "us"),
    "edison/latency-second-socket": (2.4, "us"),
    "edison/latency-16-pairs": (2.4, "us"),
    "hopper/latency": (1.8, "us"),
    "edison/bandwidth-both-ways": (15, "GB/s both ways"),
    "edison/bandwidth-one-way": (10, "GB/s one way"),
    "hopper/bandwidth-both-ways": (8, "GB/s both ways"),
    "hopper/bandwidth-one-way": (6, "GB/s one way"),
    "edison/protocol-switch": (8, "KiB"),
    "edison/injection-over-hopper": (3, "x"),
    "edison/injection-drop": (3, "GB/s"),
    "edison/overlap-small-low": (0.5, "share"),
    "edison/overlap-small-high": (0.75, "share"),
    "edison/overlap-reserved-8k": (-2, "share"),
    "edison/overlap-16-pairs": (0.9, "share"),
    "edison/reserving-helps-head": (2048, "KiB"),
    "edison/core-over-hopper": (2.2, "x"),
    "edison/node-over-hopper": (1.4, "x"),
    "edison/node-over-hopper-best": (1.6, "x"),
    "edison/codes-best-by-smt": (6, "codes"),
    "edison/codes-helped-by-reserving": (1, "codes"),
    "edison/gtc-toroidal-domains": (64, "count"),
    "edison/gtc-particle-domains": (32, "count"),
    "edison/charge-reduction": (12, "%"),
    "hopper/minife-time": (92.4, "s"),
    "hopper/minife-rate": (0.00563, "TFLOP/s per node"),
    "hopper/minife-operations": (1065, "TFLOP"),
    "hopper/minighost-time": (96.0, "s"),
    "hopper/minighost-rate": (0.017, "TFLOP/s per node"),
    "hopper/minighost-operations": (3350, "TFLOP"),
    "hopper/amg-time": (151, "s"),
    "hopper/amg-rate": (0.00441, "TFLOP/s per node"),
    "hopper/amg-operations": (1365, "TFLOP"),
    "hopper/umt-time": (1263, "s"),
    "hopper/umt-rate": (0.00712, "TFLOP/s per node"),
    "hopper/umt-operations": (18409, "TFLOP"),
    "hopper/snap-operations": (14668, "TFLOP"),
    "edison-full/gtc-p": (699.78, "s"),
    "edison-full/hpcg": (17035.1, "GFLOP/s"),
    "edison-full/meraculous": (42.74, "s"),
    "edison-full/milc": (2411.04, "s"),
    "edison-full/minidft": (385.04, "s"),
    "edison-full/minipic": (1.12e9, "updates/s"),
    "edison-full/pennant": (0.002437, "s/cycle"),
    "edison-full/snap": (0.0013659, "s"),
    "edison-full/umt": (5.63, "s/iteration"),
}


@pytest.mark.parametrize(("name", "printed"), PRINTED.items())
def test_a_figure_is_as_printed(name: str, printed: tuple[float, str]) -> None:
    assert (VALUES[name], TABLES[name].unit) == printed
    assert TABLES[name].page


def test_only_one_figure_was_read_off_a_plot() -> None:
    read = [name for name, table in TABLES.items() if table.precision is HowKnown.READ_OFF]
    assert read == ["edison/latency-16-pairs"]
    printed = ESTIMATES["edison/latency-16-pairs"].printed
    assert printed and printed.how_known is HowKnown.READ_OFF


@pytest.mark.parametrize("code", CODES)
def test_a_rate_of_hopper_follows_from_operations_time_and_nodes(code: str) -> None:
    names = (f"hopper/{code}-time", "hopper/ssp-nodes")
    lookup = finder(published_numbers(MACHINES))
    rate = evaluate(Product((f"hopper/{code}-operations",), names), lookup)
    rounding = half_unit(TABLES[f"hopper/{code}-rate"].decimals)
    printed = VALUES[f"hopper/{code}-rate"]
    assert rate.low <= printed + rounding
    assert rate.high >= printed - rounding


@pytest.mark.parametrize("code", CODES)
def test_the_operations_of_a_code_stand_with_its_time(code: str) -> None:
    one = ESTIMATES[f"hopper/{code}-time"]
    assert one.point.get("reference_tflop") == VALUES[f"hopper/{code}-operations"]
    assert one.point.layout.nodes == VALUES["hopper/ssp-nodes"]


@pytest.mark.parametrize(
    ("name", "ranks", "threads"),
    [
        ("gtc-p", 2752, 12),
        ("hpcg", 12288, 4),
        ("meraculous", 9600, 1),
        ("milc", 6912, 6),
        ("minidft", 3072, 6),
        ("minipic", 4096, 6),
        ("pennant", 4096, 6),
        ("snap", 10368, 6),
        ("umt", 6912, 4),
    ],
)
def test_a_layout_of_the_whole_edison_fills_its_nodes(name: str, ranks: int, threads: int) -> None:
    layout = ESTIMATES[f"edison-full/{name}"].point.layout
    assert (layout.ranks, layout.threads_per_rank) == (ranks, threads)
    assert layout.ranks_per_node * layout.threads_per_rank == 24


def test_the_same_figure_of_both_machines_is_of_the_same_benchmark() -> None:
    for name in ("bandwidth-both-ways", "bandwidth-one-way"):
        a, b = ESTIMATES[f"edison/{name}"], ESTIMATES[f"hopper/{name}"]
        assert (a.point, a.metric, a.unit) == (b.point, b.metric, b.unit)


def test_overlap_with_a_reserved_core_is_a_share_of_work_below_zero() -> None:
    one: Estimate = ESTIMATES["edison/overlap-reserved-8k"]
    assert (one.metric, one.value) == ("work_hidden", -2)
    assert one.point.layout.progress is ProgressMode.RESERVED
    assert one.point.layout.reserved_cores == 1
    assert one.low < one.value
