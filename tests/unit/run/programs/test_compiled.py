"""Which MPIs a run looks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.errors import MachineLacksError
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Request
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.run.programs.compiled import BuildContext, mpis_of
from tests.support.fake_launcher import PRECISION, STUDY, synthetic_machine
from tests.support.sysfs_tree import Shape

ASKED = Request((STUDY.name,), STUDY, LayoutOptions(), PRECISION, "/no/such/mpi", "")


def looked_for(machine: Machine, folder: Path, asked: Request = ASKED) -> dict[str, object]:
    plan = plan_before_sizing(asked, machine)
    return dict(mpis_of(asked, plan, BuildContext({}, folder), print))


def test_no_mpi_is_looked_for_where_no_launch_would_use_it(tmp_path: Path) -> None:
    assert looked_for(synthetic_machine(Shape(1, 1, 1, 1)), tmp_path) == {}
    with pytest.raises(MachineLacksError, match="/no/such/mpi"):
        looked_for(synthetic_machine(), tmp_path)


def test_every_mpi_asked_for_is_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two = replace(ASKED, mpi="/no/such/mpi,/nor/this")
    with pytest.raises(MachineLacksError, match="/no/such/mpi"):
        looked_for(synthetic_machine(), tmp_path, two)
    assert "/no/such/mpi and /nor/this" in capsys.readouterr().out
