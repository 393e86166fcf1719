"""A run of two sides from its first launch to its figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_launcher import FakeLauncher, new_folder, run_to_end, synthetic_machine
from msgspec.structs import replace
from two_sides import ASKED, CHAIN, against, asking, launcher, measured, two_sided

from machmeter.analysis.compare_machines import regressions
from machmeter.launch.local import Attempt
from machmeter.model.errors import UsageError
from machmeter.model.launch import OLD, Launch, Toolchain
from machmeter.model.layout import Binding
from machmeter.model.run import OldSide, RunResult
from machmeter.model.study import Experiment, Study
from machmeter.run.known_sides import side_of, sides_of
from machmeter.run.old_side import alike, rebuilt_otherwise, side_names
from machmeter.run.result import collect
from machmeter.run.sizing import NO_SIZES
from machmeter.run.two_sides import plan_of
from machmeter.store.run_folder import RunFolder

PLAN = plan_of(ASKED, synthetic_machine(), NO_SIZES, against())


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    return collect(measured(two_sided(tmp_path / "run")))


def test_figures_are_the_new_side_s_and_the_old_ones_stand_beside(result: RunResult) -> None:
    assert result.old is not None
    assert result.old.comparison is not None
    assert len(result.old.estimates) == len(result.estimates)
    for new, old in zip(result.estimates, result.old.estimates, strict=True):
        assert new.point == old.point
        assert new.rounds == old.rounds
        assert not set(new.launch_numbers) & set(old.launch_numbers)
    times = [f for f in result.old.comparison.figures if f.a.unit.symbol == "s"]
    assert times
    assert result.old.comparison.paired
    assert all(1.4 < f.a.value / f.b.value < 1.6 for f in times)
    assert regressions(result.old.comparison) == ()


def test_partners_follow_one_another_in_every_round(tmp_path: Path) -> None:
    folder = measured(two_sided(tmp_path / "run"))
    outcomes = [o for o in folder.outcomes() if o.round]
    specs = {spec.name: spec for spec in folder.plan().specs}
    for one, other in zip(outcomes[::2], outcomes[1::2], strict=True):
        new, old = sorted((one, other), key=lambda o: specs[o.spec].side)
        assert specs[old.spec].side == OLD
        assert specs[old.spec].partner == new.spec
        assert old.round == new.round
    firsts = {specs[one.spec].side for one in outcomes[::2]}
    assert firsts == {"", OLD}


class _Killed(BaseException):
    pass


class _DiesAt:
    """Starts launches until a given one, in the middle of which the run is killed."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._real = launcher()

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        if launch.number == self._number:
            raise _Killed
        return self._real.start(launch, record, limit_seconds)


@pytest.mark.parametrize("number", [7, 9])
def test_a_run_killed_between_partners_goes_on_where_it_was(tmp_path: Path, number: int) -> None:
    folder = two_sided(tmp_path / "run")
    with pytest.raises(_Killed):
        measured(folder, _DiesAt(number))
    before = sorted(p.name for p in (folder.path / "launches").glob("*.outcome.json"))
    result = collect(measured(RunFolder.open(folder.path)))
    assert before
    assert result.old is not None
    assert result.old.comparison is not None
    for figure in result.old.comparison.figures:
        assert figure.a.rounds == figure.b.rounds


def test_sides_are_called_by_what_differs() -> None:
    old = Toolchain("GNU 12.2.0", "-O3 -fopenmp", "a" * 16, mpi_library="MPICH Version: 5.0.2")
    assert side_names(ASKED, ASKED, PLAN, old, old) == ("old", "new")
    assert alike(OldSide("old", "new", ()))
    assert alike(OldSide("GNU 12.2.0", "Clang 14.0.6", ())) == alike(None) == ()
    clang = replace(old, compiler="Clang 14.0.6")
    assert side_names(ASKED, ASKED, PLAN, old, clang) == ("GNU 12.2.0", "Clang 14.0.6")
    own = replace(clang, flags="-O3 -fopenmp=libomp -O1")
    asked = replace(ASKED, flags=("-O1",))
    named = side_names(asked, ASKED, PLAN, old, own)
    assert named == ("GNU 12.2.0", "Clang 14.0.6, -O1")
    flags = replace(old, flags="-O3 -fopenmp -O1")
    assert side_names(ASKED, ASKED, PLAN, old, flags) == ("without -O1", "-O1")
    kernels = replace(old, source_hash="b" * 16)
    assert side_names(ASKED, ASKED, PLAN, old, kernels) == ("kernels aaaaaaaa", "kernels bbbbbbbb")
    other = replace(old, mpi_library="Open MPI v5.0.11")
    named = side_names(replace(ASKED, mpi="openmpi"), ASKED, PLAN, old, other)
    assert named == ("mpich", "openmpi")


def test_sides_under_other_layouts_say_so_and_are_compared(tmp_path: Path) -> None:
    study = Study("one", "", "", (Experiment("threads.sync", {"construct": ("barrier",)}),))
    close = asking(study, threads=(2,), bindings=(Binding.CLOSE,))
    spread = asking(study, threads=(2,), bindings=(Binding.SPREAD,))
    result = collect(measured(two_sided(tmp_path / "run", spread, against(close))))
    old, new = sides_of(result)
    assert "threads bound close" in old.title
    assert "threads bound spread" in new.title
    assert result.old is not None
    assert result.old.comparison is not None
    for figure in result.old.comparison.figures:
        assert figure.a.point.layout.binding is Binding.CLOSE
        assert figure.b.point.layout.binding is Binding.SPREAD
    assert (result.old.comparison.only_a, result.old.comparison.only_b) == (0, 0)


def test_one_side_is_named_behind_an_at_sign(result: RunResult, tmp_path: Path) -> None:
    assert side_of(result, "old").id == "two@old"
    assert side_of(result, "new").estimates[0].value == result.estimates[0].value
    single = collect(run_to_end(new_folder(tmp_path / "single"), FakeLauncher()))
    with pytest.raises(UsageError, match="no old and new side"):
        side_of(single, "old")


def test_an_old_side_that_was_compiled_otherwise_is_told() -> None:
    assert rebuilt_otherwise(None, CHAIN) == ()
    assert rebuilt_otherwise(against(), CHAIN) == ()
    (told,) = rebuilt_otherwise(against(), replace(CHAIN, compiler="other 2"))
    assert "made-up c++" in told
    assert "other 2" in told


def test_a_run_of_two_sides_has_no_warning_of_several_builds(result: RunResult) -> None:
    assert not any("more than one build" in warning for warning in result.warnings)
