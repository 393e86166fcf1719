"""A shaped network of four hosts: the consistency experiment names the bad one, every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.model.plan.question import ConsistentRule
from machmeter.model.results.run import RunResult
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.processes.hosts_in_namespaces import inside, why_not
from tests.support.processes.machmeter_command import MachmeterCommand

# Not in CI, where tests/unit/analysis/rules/test_consistent.py names such hosts, and
# tests/end_to_end/programs/test_explore_on_hosts.py measures on hosts in namespaces.
pytestmark = [pytest.mark.alone, pytest.mark.full]

NAMES = ("node-a", "node-b", "node-c", "node-d")


@pytest.fixture(autouse=True)
def _namespaces() -> None:
    reason = why_not()
    if reason:
        pytest.skip(reason)


def consistency(cache: Path, folder: Path, slow: str) -> RunResult:
    """A run over the four hosts, the link of one of them limited or none."""
    by_tcp = {"FI_PROVIDER": "tcp", "MPIR_CVAR_CH4_NETMOD": "ofi"}
    command = MachmeterCommand(cache, folder / "data", by_tcp)
    hosts = ("--hosts", ",".join(NAMES), "--one-machine", "--remote-shell", folder / "agent")
    counts = ("--min-launches", "4", "--max-launches", "4", "--budget", "60s", "--mpi", "mpich")
    under = inside(folder, NAMES, slow)
    run = folder / "run"
    words = ("run", "network.consistency", *hosts, *counts, "--output", run)
    done = command.run(*words, under=under, seconds=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return collect(RunFolder.open(run))


def answer(result: RunResult, metric: str) -> str:
    """What the run says of its own question about this metric."""
    (text,) = (
        question.text
        for question in result.plan.questions
        if isinstance(question.rule, ConsistentRule) and question.metric == metric
    )
    (found,) = (finding for finding in result.findings if finding.question == text)
    return found.answer


@pytest.mark.parametrize("slow", ["node-c", "node-a"])
def test_the_host_behind_a_slow_link_is_named(slow: str, cache: Path, tmp_path: Path) -> None:
    result = consistency(cache, tmp_path, slow)
    assert result.rank_hosts == NAMES
    points = [e.point for e in result.estimates if e.point.benchmark == "network.consistency"]
    assert len({point.get("pair") for point in points}) == 6
    said = answer(result, "bandwidth")
    assert said.startswith("no")
    assert f"{slow} is slow in 3 of its 3 pairs" in said
    assert not any(name in said for name in NAMES if name != slow)


def test_hosts_that_are_alike_are_not_blamed(cache: Path, tmp_path: Path) -> None:
    result = consistency(cache, tmp_path, "")
    # Four hosts that share two cores may well differ, but none is as slow as a limited link.
    assert "is slow in 3 of its 3 pairs" not in answer(result, "bandwidth")
