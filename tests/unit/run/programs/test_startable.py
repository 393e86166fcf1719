"""An application whose MPI cannot be had takes nothing else of its study with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api import measuring
from machmeter.api.context import Context
from machmeter.api.measuring import measure
from machmeter.build.mpi import MpiInstall
from machmeter.model.benchmark import RankSweep
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.command import Command
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.results.run import Plan, Request
from machmeter.run.measuring.start import Prepared
from machmeter.run.programs import startable
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.programs.startable import with_startable
from tests.support.fake_launcher import PRECISION, STUDY, synthetic_machine

RANKS = "explore.ranks"
APPLICATION = Experiment(
    RANKS, ranks=RankSweep.ALL, command=Command(("/usr/bin/app",), "/", 60.0, mpi="mpich")
)


def asked(*experiments: Experiment) -> Request:
    study = replace(STUDY, experiments=experiments)
    return Request((STUDY.name,), study, LayoutOptions(), PRECISION, "mpich", "")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(name: str, *_: object, **_more: object) -> MpiInstall:
        raise MachineLacksError(f"fetching {name} failed", "name the MPI of this machine")

    monkeypatch.setattr(startable, "resolve_mpi", resolve)


class PreparedError(Exception):
    """Ends a run before it compiles."""


@pytest.mark.usefixtures("offline")
def test_it_is_left_out_with_the_reason_and_the_rest_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = []

    def prepare(_request: Request, plan: Plan, *_: object) -> Prepared:
        plans.append(plan)
        raise PreparedError

    monkeypatch.setattr(measuring, "prepare", prepare)
    request = asked(*STUDY.experiments, APPLICATION)
    context = Context(tmp_path / "data", tmp_path / "cache", environment={})
    with pytest.raises(PreparedError):
        measure(request, machine=synthetic_machine(), context=context)
    (plan,) = plans
    assert RANKS not in {spec.benchmark for spec in plan.specs}
    assert plan.points
    (reason,) = (one.reason for one in plan.skipped if one.what == RANKS)
    assert reason == (
        "no MPI starts its ranks: fetching mpich failed; name the MPI of this machine"
    )


@pytest.mark.usefixtures("offline")
def test_what_has_no_mpi_of_its_own_and_programs_alone_stay_as_they_are(tmp_path: Path) -> None:
    for request in (asked(*STUDY.experiments), asked(APPLICATION)):
        assert with_startable(request, BuildContext({}, tmp_path), print) == request


@pytest.mark.parametrize("there", [True, False])
def test_a_script_is_started_by_the_mpi_that_there_is(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = MpiInstall("openmpi", "/opt/site", "", "/opt/site/bin/mpiexec", "4.1")

    def resolve(name: str, *_: object, **_more: object) -> MpiInstall:
        if name == site.prefix:
            return site
        raise MachineLacksError(f"fetching {name} failed", "name the MPI of this machine")

    monkeypatch.setattr(startable, "resolve_mpi", resolve)
    monkeypatch.setattr(startable, "launcher_of", lambda *_: site if there else None)
    script = replace(APPLICATION, command=Command(("/usr/bin/script",), "/", 60.0))
    request = asked(*STUDY.experiments, script)
    found = with_startable(request, BuildContext({}, tmp_path), print).study.experiments
    assert found[:-1] == STUDY.experiments
    if there:
        assert found[-1].command is not None
        assert found[-1].command.mpi == site.prefix
    else:
        assert found[-1].command is None
        assert "fetching mpich failed" in found[-1].lacks


def test_a_script_is_started_by_every_mpi_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(startable, "resolve_mpi", lambda *_, **_more: None)
    script = replace(APPLICATION, command=Command(("/usr/bin/script",), "/", 60.0))
    request = asked(*STUDY.experiments, script)
    assert with_startable(request, BuildContext({}, tmp_path), print) == request
