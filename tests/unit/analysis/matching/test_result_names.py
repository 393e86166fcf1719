"""Names of compared figures say what tells them apart, and nothing that no source states."""

from __future__ import annotations

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.matching.result_names import point_text
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import Basis
from machmeter.published.machine import published_results
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine, printed


def sync(wait: WaitPolicy, construct: str = "parallel") -> Estimate:
    layout = Layout(threads_per_rank=2, wait_policy=wait)
    return made_up("threads.sync", {"construct": construct}, layout, "overhead", 1e-6)


def test_a_paper_without_a_wait_policy_stands_beside_each_of_them() -> None:
    paper = machine(
        "paper",
        printed(sync(WaitPolicy.ACTIVE), stated="threads_per_rank, binding"),
        origin=Origin.PUBLISHED,
    )
    here = machine("here", *map(sync, WaitPolicy))
    for found in (compare_machines(here, paper), compare_machines(paper, here)):
        beside = "" if found.a == "here" else "against "
        names = sorted(one.name for one in found.results)
        assert names == [f"Overhead: {beside}{wait} wait" for wait in sorted(WaitPolicy)]
        notes = {note for one in found.results for note in one.notes}
        assert {f"{w} wait: not stated by paper" for w in WaitPolicy} <= notes


def test_a_setting_that_nobody_stated_tells_no_figure_from_another() -> None:
    stated = "threads_per_rank, binding"
    parallel = printed(sync(WaitPolicy.ACTIVE), stated=stated)
    passive = printed(sync(WaitPolicy.PASSIVE, "for"), stated=f"{stated}, wait_policy")
    paper = machine("paper", parallel, passive, origin=Origin.PUBLISHED)
    here = machine("here", sync(WaitPolicy.ACTIVE), sync(WaitPolicy.PASSIVE, "for"))
    names = {one.name for one in compare_machines(paper, here).results}
    assert names == {"Overhead: parallel", "Overhead: for, passive wait"}


def test_hopper_beside_edison_shows_what_the_study_set_side_by_side() -> None:
    found = compare_machines(published_results("hopper"), published_results("edison"))
    latencies = [f for f in found.results if f.a.point.benchmark == "network.pairs"]
    ratios = {one.name: round(one.by[Basis.AS_MEASURED].ratio, 2) for one in latencies}
    assert ratios["Mean of pairs: against 16 ranks on 2 nodes, package 0"] == round(1.8 / 1.5, 2)
    assert len(ratios) == 3
    assert all("how many ranks is not stated by hopper" in one.notes for one in latencies)
    bandwidths = [f for f in found.results if f.a.point.benchmark == "network.bandwidth"]
    assert {point_text(one) for one in bandwidths} == {
        "both-ways, 2 nodes",
        "one-way, 2 nodes",
    }
    assert all("ranks_per_node" in one.open_a for one in bandwidths)
