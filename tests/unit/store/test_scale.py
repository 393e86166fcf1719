"""A launch on many nodes is small in its record and judged by all of it."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace
from tools.simulate_scale import CORES, judged, machine, request, write_record

from machmeter.layout.assign import assign
from machmeter.model.plan.launch import Closing, Launch, Verdict
from machmeter.model.plan.packed import Packed
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.store.records import parse_record, read_record

NODES = 16
MOST_BYTES_A_RANK = 5e6 / 128_000


def test_the_record_of_a_rank_on_every_core_is_small_whole_and_accepted(tmp_path: Path) -> None:
    node = machine()
    specs = plan_before_sizing(request(("network.collective",), NODES), node).specs
    spec = max(specs, key=lambda one: one.layout.ranks)
    assert spec.layout.ranks == NODES * CORES
    launch = Launch(1, spec, 7, assign(spec.layout, node.topology))
    path = tmp_path / "00001.jsonl"
    write_record(launch, path, seed=52)
    first, *_, last = path.read_bytes().splitlines()
    assert len(first) + len(last) < MOST_BYTES_A_RANK * spec.layout.ranks
    record = read_record(path)
    assert record.header is not None
    assert len(record.header.places) == spec.layout.ranks
    assert judged(launch, record).verdict is Verdict.ACCEPTED


def test_what_is_elsewhere_at_the_end_is_seen_though_the_rest_is_where_it_was(
    tmp_path: Path,
) -> None:
    node = machine()
    specs = plan_before_sizing(request(("network.collective",), 2), node).specs
    spec = max(specs, key=lambda one: one.layout.ranks)
    launch = Launch(1, spec, 7, assign(spec.layout, node.topology))
    path = tmp_path / "00001.jsonl"
    write_record(launch, path, seed=52)
    whole = parse_record(path.read_bytes())
    assert whole.header is not None
    assert whole.closing is not None
    assert whole.closing.places is whole.header.places
    *others, last = path.read_bytes().splitlines()
    closing = msgspec.json.decode(last, type=Closing)
    assert isinstance(closing.packed, Packed)
    (common,) = closing.packed.on
    assert common.ranks.startswith("0,1,")
    on = (replace(common, ranks=common.ranks.replace("0,1,", "1,1,", 1)),)
    moved = replace(closing, packed=replace(closing.packed, on=on))
    outcome = judged(launch, parse_record(b"\n".join((*others, msgspec.json.encode(moved)))))
    assert outcome.verdict is Verdict.REJECTED
    assert "rank 0 thread 0" in outcome.reasons[0]
    assert "at the end: requested CPUs 0, observed on CPU 1" in outcome.reasons[0]


def test_the_record_of_many_pairs_of_nodes_is_small(tmp_path: Path) -> None:
    node = machine()
    specs = plan_before_sizing(request(("network.consistency",), 1000), node).specs
    spec = max(specs, key=lambda one: len(one.points))
    assert len(spec.points) == 4000
    launch = Launch(1, spec, 7, assign(spec.layout, node.topology))
    path = tmp_path / "00001.jsonl"
    write_record(launch, path, 52, spec.samples)
    assert path.stat().st_size < 5e6
    assert judged(launch, read_record(path)).verdict is Verdict.ACCEPTED
