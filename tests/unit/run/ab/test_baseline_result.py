"""A run of two sides from its first launch to its figures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import regressions
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.launch.launcher import Attempt
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding
from machmeter.model.plan.launch import FEWEST_LAUNCHES, Launch, LaunchSpec, Toolchain, Verdict
from machmeter.model.plan.study import Experiment, Study
from machmeter.model.results.run import BaselineResult, ObservedBuild, Request, RunResult
from machmeter.model.variant import Role
from machmeter.run.ab.baseline_result import (
    baseline_toolchain,
    no_difference,
    not_as_then,
    variant_names,
)
from machmeter.run.ab.machines import side_of, sides_of
from machmeter.run.measuring import session as session_module
from machmeter.run.planning.pairing import plan_of
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    PRECISION,
    FakeLauncher,
    FakeTime,
    new_folder,
    run_to_end,
    synthetic_machine,
)
from tests.support.made_up.ab_runs import (
    ASKED,
    CHAIN,
    against,
    asking,
    launcher,
    measured,
    two_sided,
)

PLAN = plan_of(ASKED, synthetic_machine(), NO_SIZES, against())


def names(old: Toolchain, new: Toolchain, asked: Request = ASKED) -> tuple[str, str]:
    """The names of sides that were built so, every program of them."""
    built = {spec.name: old if spec.variant.is_baseline else new for spec in PLAN.specs}
    ran = {
        spec.name: ObservedBuild(
            spec.program,
            built[spec.name]
            if spec.program == MPI_PROGRAM.name
            else replace(built[spec.name], mpi_library=""),
        )
        for spec in PLAN.specs
    }
    return variant_names(asked, ASKED, PLAN, ran)


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    return collect(measured(two_sided(tmp_path / "run")))


def test_figures_are_the_new_side_s_and_the_old_ones_stand_beside(result: RunResult) -> None:
    assert result.baseline is not None
    assert result.baseline.comparison is not None
    assert len(result.baseline.estimates) == len(result.estimates)
    for new, old in zip(result.estimates, result.baseline.estimates, strict=True):
        assert replace(new.point, variant=old.point.variant) == old.point
        assert old.point.variant.name == "baseline"
        assert new.rounds == old.rounds
        assert not set(new.launch_numbers) & set(old.launch_numbers)
    times = [f for f in result.baseline.comparison.results if f.a.unit.symbol == "s"]
    assert times
    assert result.baseline.comparison.paired
    assert all(1.4 < f.a.value / f.b.value < 1.6 for f in times)
    assert regressions(result.baseline.comparison) == ()


def test_partners_follow_one_another_in_every_round(tmp_path: Path) -> None:
    folder = measured(two_sided(tmp_path / "run"))
    outcomes = [o for o in folder.outcomes() if o.round]
    plan = folder.plan()
    assert plan is not None
    specs = {spec.name: spec for spec in plan.specs}
    for one, other in zip(outcomes[::2], outcomes[1::2], strict=True):
        new, old = sorted((one, other), key=lambda o: specs[o.spec].variant.is_baseline)
        assert specs[old.spec].variant.is_baseline
        assert specs[old.spec].group == new.spec
        assert old.round == new.round
    firsts = {specs[one.spec].variant.role for one in outcomes[::2]}
    assert firsts == set(Role)


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
    assert result.baseline is not None
    assert result.baseline.comparison is not None
    sittings: dict[tuple[str, int], set[bool]] = {}
    for outcome in folder.outcomes():
        spec = folder.launch(outcome.launch).spec
        if outcome.round and outcome.verdict is Verdict.ACCEPTED:
            key = spec.group or spec.name, outcome.round
            sittings.setdefault(key, set()).add(outcome.launch < number)
    assert all(len(of_pair) == 1 for of_pair in sittings.values())
    least = result.plan.precision.least_launches
    for figure in result.baseline.comparison.results:
        assert len(set(figure.a.rounds) & set(figure.b.rounds)) >= least


def test_the_time_ends_between_pairs_and_not_within_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeTime()
    monkeypatch.setattr(session_module, "time", clock)
    for budget in (26.0, 26.5):
        precision = replace(PRECISION, budget_seconds=budget, least_launches=50, most_launches=50)
        asked = replace(ASKED, precision=precision)
        folder = two_sided(tmp_path / f"{budget}", asked, against(asked))
        clock.now = 0.0
        measured(folder, FakeLauncher(passing=clock.passes))
        rounds = [o for o in folder.outcomes() if o.round]
        by_side = Counter(folder.launch(o.launch).spec.variant.is_baseline for o in rounds)
        assert by_side[True] == by_side[False]
        assert max(o.round for o in rounds) > FEWEST_LAUNCHES


def test_sides_are_called_by_what_differs() -> None:
    old = Toolchain("GNU 12.2.0", "-O3 -fopenmp", "a" * 16, mpi_library="MPICH Version: 5.0.2")
    assert names(old, old) == ("baseline", "candidate")
    assert no_difference(BaselineResult("baseline", "candidate", ()))
    assert (
        no_difference(BaselineResult("GNU 12.2.0", "Clang 14.0.6", ())) == no_difference(None) == ()
    )
    clang = replace(old, compiler="Clang 14.0.6")
    assert names(old, clang) == ("GNU 12.2.0", "Clang 14.0.6")
    own = replace(clang, flags="-O3 -fopenmp=libomp -O1")
    asked = replace(ASKED, flags=("-O1",))
    named = names(old, own, asked)
    assert named == ("GNU 12.2.0", "Clang 14.0.6, -O1")
    flags = replace(old, flags="-O3 -fopenmp -O1")
    assert names(old, flags) == ("without -O1", "-O1")
    kernels = replace(old, source_hash="b" * 16)
    assert names(old, kernels) == ("kernels aaaaaaaa", "kernels bbbbbbbb")
    one = replace(old, kernel_hash="c" * 16)
    assert names(old, one) == ("kernels ", "kernels cccccccc")
    other = replace(old, mpi_library="Open MPI v5.0.11")
    assert names(old, other, replace(ASKED, mpi="openmpi")) == ("mpich", "openmpi")
    assert names(old, other) == ("MPICH Version: 5.0.2", "Open MPI v5.0.11")


LIBRARIES = {"mpich": "MPICH Version: 5.0.2", "openmpi": "Open MPI v5.0.11"}


def of_library(spec: LaunchSpec, only: str = "") -> ObservedBuild:
    library = LIBRARIES[spec.variant.mpi or only]
    return ObservedBuild(spec.program, replace(CHAIN, mpi_library=library), spec.variant.mpi)


def several(*mpis: str) -> Request:
    latency = Study("net", "", "", (Experiment("network.latency", {"size": (8,)}),))
    of_one = asking(latency, mpis=mpis if len(mpis) > 1 else ())
    return replace(of_one, mpi=",".join(mpis))


def test_of_several_libraries_each_is_set_beside_itself() -> None:
    """Whichever of them the first launch that counts was of."""
    both = several("mpich", "openmpi")
    plan = plan_of(both, synthetic_machine(), NO_SIZES, against(both))
    ran = {spec.name: of_library(spec) for spec in plan.specs if spec.of_points}
    assert variant_names(both, both, plan, ran) == ("baseline", "candidate")
    failed = {
        name: one for name, one in ran.items() if not ("baseline" in name and one.mpi == "mpich")
    }
    assert variant_names(both, both, plan, failed) == ("baseline", "candidate")
    updated = {
        name: replace(one, toolchain=replace(one.toolchain, mpi_library="MPICH Version: 4.1"))
        if "baseline" in name and one.mpi == "mpich"
        else one
        for name, one in ran.items()
    }
    assert variant_names(both, both, plan, updated) == ("MPICH Version: 4.1", LIBRARIES["mpich"])
    chain = baseline_toolchain(plan, ran)
    assert chain is not None
    assert chain.mpi_library == LIBRARIES["mpich"]


def test_one_of_several_libraries_beside_the_only_one_is_no_difference() -> None:
    both, one = several("mpich", "openmpi"), several("openmpi")
    plan = plan_of(one, synthetic_machine(), NO_SIZES, against(both))
    ran = {spec.name: of_library(spec, "openmpi") for spec in plan.specs if spec.of_points}
    assert len(ran) == 2
    assert variant_names(one, both, plan, ran) == ("baseline", "candidate")


def test_sides_under_other_layouts_say_so_and_are_compared(tmp_path: Path) -> None:
    study = Study("one", "", "", (Experiment("threads.sync", {"construct": ("barrier",)}),))
    close = asking(study, threads=(2,), bindings=(Binding.CLOSE,))
    spread = asking(study, threads=(2,), bindings=(Binding.SPREAD,))
    result = collect(measured(two_sided(tmp_path / "run", spread, against(close))))
    old, new = sides_of(result)
    assert "close" in old.title
    assert "spread" in new.title
    assert result.baseline is not None
    assert result.baseline.comparison is not None
    for figure in result.baseline.comparison.results:
        assert figure.a.point.layout.binding is Binding.CLOSE
        assert figure.b.point.layout.binding is Binding.SPREAD
    assert (result.baseline.comparison.only_a, result.baseline.comparison.only_b) == (0, 0)


def test_one_side_is_named_behind_an_at_sign(result: RunResult, tmp_path: Path) -> None:
    assert side_of(result, "baseline").id == "two@baseline"
    assert side_of(result, "candidate").estimates[0].value == result.estimates[0].value
    single = collect(run_to_end(new_folder(tmp_path / "single"), FakeLauncher()))
    with pytest.raises(UsageError, match="has no baseline"):
        side_of(single, "baseline")


SPEC = next(spec for spec in PLAN.specs if spec.variant.is_baseline)
THEN = ObservedBuild(
    SPEC.program, CHAIN, libraries={"openmp": "libgomp.so.1.0.0"}, benchmark=SPEC.benchmark
)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (replace(CHAIN, compiler="other 2"), "compiler other 2, run an-old-run with made-up c++"),
        (replace(CHAIN, flags="-O1 -g"), "flags -g, run an-old-run with without -g"),
        (replace(CHAIN, source_hash="b" * 16), "kernels bbbbbbbb, run an-old-run with 00000000"),
        (replace(CHAIN, kernel_hash="c" * 16), "kernel of memory.latency cccccccc"),
        (replace(CHAIN, mpi_library="MPICH 5"), "MPI MPICH 5, run an-old-run with none"),
    ],
)
def test_an_old_side_that_was_compiled_otherwise_is_told_by_what_differs(
    now: Toolchain, said: str
) -> None:
    old = replace(against(), observed_builds=(THEN,))
    assert not_as_then(None, PLAN, {SPEC.name: THEN}) == ()
    assert not_as_then(old, PLAN, {SPEC.name: THEN}) == ()
    (told,) = not_as_then(old, PLAN, {SPEC.name: replace(THEN, toolchain=now)})
    assert said in told.text
    assert len(told.text) < 190


def test_an_old_side_that_loads_another_library_today_is_told() -> None:
    old = replace(against(), observed_builds=(THEN,))
    loads = replace(THEN, libraries={"openmp": "libgomp.so.9"})
    (told,) = not_as_then(old, PLAN, {SPEC.name: loads})
    assert "openmp library libgomp.so.9" in told.text
    assert "libgomp.so.1.0.0" in told.text
    # Which runtime a layout names is no difference.
    assert not_as_then(old, PLAN, {SPEC.name: replace(loads, openmp="libomp")}) == ()


def test_a_run_of_two_sides_tells_of_other_libraries(tmp_path: Path) -> None:
    folder = measured(two_sided(tmp_path / "run", old=replace(against(), observed_builds=(THEN,))))
    (told,) = [one.text for one in collect(folder).caveats if "the baseline ran with" in one.text]
    assert "openmp library none" in told


def test_a_run_of_two_sides_has_no_warning_of_several_builds(result: RunResult) -> None:
    assert not any("more than one build" in one.text for one in result.caveats)
