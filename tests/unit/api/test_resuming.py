"""A run that is continued where less time is left than it was to take."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.api import measuring
from machmeter.api.context import Context
from machmeter.model.plan.launch import Launch
from machmeter.model.results.run import RunState
from machmeter.run.measuring import target
from machmeter.run.measuring.start import Prepared
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import PRECISION, FakeLauncher, good, new_folder, run_to_end

_INTERRUPTED = 15


@pytest.fixture
def interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run with more launches to come, of a machine that this one passes for."""
    folder = new_folder(tmp_path / "run")
    machine = folder.header().machine
    monkeypatch.setattr(target, "detect_machine", lambda _name: machine)
    monkeypatch.setattr(target.ThisMachine, "watch", lambda _self: None)
    monkeypatch.setattr(measuring, "refuse_other_build", lambda _folder: None)
    monkeypatch.setattr(measuring, "prepare", lambda *_: Prepared(FakeLauncher(), machine))

    def behave(launch: Launch, record: Path) -> int:
        if launch.number == _INTERRUPTED:
            raise KeyboardInterrupt
        return good(launch, record)

    with pytest.raises(KeyboardInterrupt):
        run_to_end(folder, FakeLauncher(behave))
    return folder


@pytest.mark.parametrize(("seconds", "more"), [(None, True), (900.0, True), (0.001, False)])
def test_a_run_goes_on_for_as_long_as_it_is_given(
    seconds: float | None,
    *,
    more: bool,
    interrupted: RunFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = Context(data=tmp_path / "data", cache=tmp_path / "cache")
    monkeypatch.setattr(measuring, "seconds_in_job", lambda *_: seconds)
    measuring.resume(interrupted.path, trust=True, context=context)
    assert interrupted.state().state is RunState.FINISHED
    rounds = {interrupted.launch(number).round for number in interrupted.launch_numbers()}
    assert (3 in rounds) is more
    plan = interrupted.plan()
    assert plan is not None
    assert plan.precision.budget_seconds == PRECISION.budget_seconds
