"""A run of two sides that loses one host, is resumed, and loses another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.launch.launcher import Attempt
from machmeter.model.plan.launch import Launch, LostHost
from machmeter.model.results.run import RunState
from machmeter.model.variant import Role
from machmeter.run.measuring import target
from machmeter.run.measuring.hosts.lost import HostsLostError, lost_in, without_hosts
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.start import Prepared, measure_run
from tests.support.fake_launcher import FakeLauncher
from tests.support.made_up.ab_runs import against, asking, two_sided
from tests.unit.run.measuring.hosts.test_lost import HOSTS, STUDY, measured_on

LOST_ON = {4: LostHost("n3", "no answer"), 3: LostHost("n4", "no answer")}


class LosingInTurn(FakeLauncher):
    """Loses one host on four nodes, and one more on three."""

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        attempt = super().start(launch, record, limit_seconds)
        if (lost := LOST_ON.get(launch.spec.layout.nodes)) is None:
            return attempt
        record.unlink()
        return replace(attempt, result=replace(attempt.result, exit_code=255), lost_hosts=(lost,))


def test_both_sides_go_on_on_the_hosts_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asking(STUDY, hosts=HOSTS)
    folder = two_sided(tmp_path / "run", request, against(request))
    launcher = LosingInTurn()
    ready = Prepared(launcher, folder.header().machine)
    monkeypatch.setattr(target, "prepare", lambda *_: ready)
    with pytest.raises(HostsLostError):
        measure_run(folder, launcher, ignore_progress)
    plan = folder.plan()
    assert plan is not None
    left = without_hosts(request, lost_in(folder.outcomes()))
    assert left.layout_options.hosts == ("n1", "n2", "n4")
    measured_on(folder, left, launcher, plan)
    assert folder.state().state is RunState.FINISHED
    assert [one.name for one in lost_in(folder.outcomes())] == ["n3", "n4"]
    of_two = {
        (one.spec.variant.role, one.spec.layout.ranks_per_node)
        for one in launcher.started
        if one.spec.layout.nodes == 2
    }
    assert of_two == {(role, ranks) for role in Role for ranks in (1, 2)}
