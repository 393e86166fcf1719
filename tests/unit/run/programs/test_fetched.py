"""What a run that is planned, and launches nothing, takes to be fetched later."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.build import blas
from machmeter.build.blas import resolve_openblas
from machmeter.build.pypi import installer as wheel_installer
from machmeter.build.pypi.requirements import UNVERIFIED
from machmeter.build.wheels import wheel_prefix
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import Request
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.programs.fetched import as_if_fetched, with_fetched
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.made_up.tools import tool

STUDY = Study("gemm", "", "", (Experiment("compute.gemm", {"order": (64,)}),))
GEMM = Request(("gemm",), STUDY, LayoutOptions(), PRECISION, "mpich", "")


@pytest.mark.parametrize(
    ("architecture", "library"), [("x86_64", "openblas"), ("loongarch64", "system")]
)
def test_openblas_is_planned_only_where_pypi_has_it_for_the_processor(
    architecture: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: architecture)
    machine = synthetic_machine()
    software = replace(machine.software, blas={"system": "/usr/lib/libopenblas.so.0"})
    complete = as_if_fetched(GEMM, replace(machine, software=software))
    plan = plan_before_sizing(GEMM, complete)
    assert {dict(point.parameters)["library"] for point in plan.points} == {library}


def test_nothing_is_fetched_for_another_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "loongarch64")
    with pytest.raises(MachineLacksError, match="for loongarch64"):
        resolve_openblas(tmp_path, {})


@pytest.mark.parametrize(
    ("benchmark", "library", "wants"),
    [
        ("compute.lu", "auto", True),
        ("compute.lu", "openblas", True),
        ("compute.lu", "system", False),
        ("compute.fma", "", False),
    ],
)
def test_openblas_is_wanted_by_what_calls_it(benchmark: str, library: str, wants: bool) -> None:
    parameters: dict[str, tuple[Value, ...]] = {"library": (library,)} if library else {}
    study = replace(STUDY, experiments=(Experiment(benchmark, parameters),))
    machine = synthetic_machine()
    lacking = replace(machine, software=replace(machine.software, blas={}))
    complete = as_if_fetched(replace(GEMM, study=study), lacking)
    assert ("openblas" in complete.software.blas) is wants


@pytest.mark.parametrize(("variables", "said"), [({}, "verified"), ({UNVERIFIED: "1"}, "not")])
def test_a_run_describes_where_its_libraries_came_from(
    tmp_path: Path, variables: dict[str, str], said: str
) -> None:
    prefix = wheel_prefix(tmp_path / "blas", blas.OPENBLAS, variables)
    prefix.mkdir(parents=True)
    (prefix / "libscipy_openblas64_.so").touch()
    ping = Experiment("network.latency", {})
    request = replace(GEMM, study=replace(STUDY, experiments=(*STUDY.experiments, ping)))
    machine = synthetic_machine()
    lacking = replace(machine, software=replace(machine.software, blas={}))
    context = BuildContext(variables, tmp_path)
    fetched = with_fetched(request, lacking, context, lambda _: None).software.fetched
    assert set(fetched) == {"mpich", "openblas"}
    assert all(said in origin.split() for origin in fetched.values())
    site = replace(request, mpi="/opt/mpi")
    known = with_fetched(site, lacking, context, lambda _: None).software.fetched
    assert set(known) == {"openblas"}


def test_a_cache_is_not_prepared_without_what_can_be_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tool(tmp_path / "bin", "pip", "echo 'Connection refused' >&2; exit 1")
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])
    machine = synthetic_machine()
    lacking = replace(machine, software=replace(machine.software, blas={}))
    context, said = BuildContext({"PATH": ""}, tmp_path / "cache"), list[str]()
    assert not with_fetched(GEMM, lacking, context, said.append).software.blas
    assert "without OpenBLAS" in said[-1]
    assert "cannot be reached" in said[-1]
    with pytest.raises(MachineLacksError, match="cannot be reached"):
        with_fetched(GEMM, lacking, context, said.append, needed=True)
