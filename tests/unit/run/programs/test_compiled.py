"""Which MPIs a run looks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.build.compiler import Compiler
from machmeter.launch.ready import Ready, ReadyProgram
from machmeter.model.errors import MachineLacksError
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.program import Program
from machmeter.model.results.run import Request
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.run.programs import compiled as compiled_module
from machmeter.run.programs.compiled import BuildContext, compiled_programs
from tests.support.fake_launcher import PRECISION, STUDY, synthetic_machine
from tests.support.sysfs_tree import Shape

ASKED = Request((STUDY.name,), STUDY, LayoutOptions(), PRECISION, "/no/such/mpi", "")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """The programs that are compiled, by a compiler that is not there."""
    found: list[Program] = []

    def build(_cache: Path, program: Program, *_: object, **_more: object) -> str:
        found.append(program)
        return f"/built/{program.name}"

    monkeypatch.setattr(compiled_module, "find_compiler", lambda *_: Compiler("/c++", "c++ 1"))
    monkeypatch.setattr(compiled_module, "build_program", build)
    return found


def programs_of(machine: Machine, folder: Path, asked: Request = ASKED) -> Ready:
    plan = plan_before_sizing(asked, machine)
    return compiled_programs(asked, plan, machine, BuildContext({}, folder), print)


def test_no_mpi_is_looked_for_where_no_launch_would_use_it(
    tmp_path: Path, compiled: list[Program]
) -> None:
    ready = programs_of(synthetic_machine(Shape(1, 1, 1, 1)), tmp_path)
    assert ready == {("", NODE_PROGRAM.name): ReadyProgram("/built/machmeter-node")}
    assert compiled == [NODE_PROGRAM]
    with pytest.raises(MachineLacksError, match="/no/such/mpi"):
        programs_of(synthetic_machine(), tmp_path)


def test_every_mpi_asked_for_is_looked_for(
    tmp_path: Path, compiled: list[Program], capsys: pytest.CaptureFixture[str]
) -> None:
    two = replace(ASKED, mpi="/no/such/mpi,/nor/this")
    with pytest.raises(MachineLacksError, match="/no/such/mpi"):
        programs_of(synthetic_machine(), tmp_path, two)
    assert not compiled
    assert "/no/such/mpi and /nor/this" in capsys.readouterr().out
