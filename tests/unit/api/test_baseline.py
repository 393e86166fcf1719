"""What is not named is as in the run that is measured against."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.loading import find_run
from machmeter.api.requests import baseline, inherit
from machmeter.cli.options.run_options import RunOptions, request_of
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding, LaunchMode
from machmeter.model.layout_fields import LAYOUT_OPTIONS
from machmeter.model.plan.command import Command
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.results.run import Request, RunHeader
from machmeter.store.remembered_runs import remember_folders
from machmeter.studies.select import select
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.made_up.ab_runs import ASKED, against, two_sided
from tests.unit.cli.options.test_run_options import DEFAULT

OPTIONS = replace(DEFAULT, names=("memory.stream",), settings=("size=32MiB",))
OLD = request_of(
    replace(
        OPTIONS,
        layout={"threads": "2"},
        mpi=("openmpi",),
        compiler="clang++",
        flags="-O2",
        min_launches=5,
    )
)


def now(**changes: object) -> Request:
    of_layouts = {name: changes.pop(name) for name in tuple(changes) if name in LAYOUT_OPTIONS}
    options: RunOptions = replace(OPTIONS, **{"settings": (), **changes}, layout=of_layouts)
    return inherit(request_of(options), header_of(OLD), frozenset({*changes, *of_layouts}))


def header_of(request: Request, *, is_ab: bool = False) -> RunHeader:
    """The header of a run that requested that."""
    machine, old = synthetic_machine(), against(request) if is_ab else None
    return RunHeader("old", "", "1", (), request, machine, 7, old)


def test_with_nothing_named_everything_is_as_it_was_but_the_budget() -> None:
    asked = now()
    twice = 2 * OLD.precision.budget_seconds
    assert asked == replace(OLD, precision=replace(OLD.precision, budget_seconds=twice))
    once = inherit(request_of(OPTIONS), header_of(OLD, is_ab=True), frozenset())
    assert once.precision.budget_seconds == OLD.precision.budget_seconds


def test_devices_are_those_that_the_run_measured_and_not_those_of_today() -> None:
    """By what no other device has: its number may be another one's today."""
    devices = (NamedDevice("cuda:1", "cuda:GPU-1", Device("cuda", "H100", "gpu")),)

    def asked_of(old: Request) -> Request:
        header = header_of(old)
        header = replace(header, machine=replace(header.machine, devices=devices))
        return inherit(request_of(OPTIONS), header, frozenset())

    of_devices = replace(OLD, names=("device.stream",), study=select(("device.stream",), {}))
    assert asked_of(of_devices).layout_options.devices == ("cuda:GPU-1",)
    assert not asked_of(OLD).layout_options.devices


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"flags": "-O1"}, replace(OLD, flags=("-O1",))),
        ({"compiler": "g++"}, replace(OLD, compiler="g++")),
        ({"mpi": ("mpich",)}, replace(OLD, mpi="mpich")),
        (
            {"binding": "spread"},
            replace(OLD, layout_options=replace(OLD.layout_options, bindings=(Binding.SPREAD,))),
        ),
        ({"threads": "1"}, replace(OLD, layout_options=replace(OLD.layout_options, threads=(1,)))),
    ],
)
def test_only_what_is_named_differs(changes: dict[str, object], expected: Request) -> None:
    assert replace(now(**changes), precision=OLD.precision) == expected


def test_other_points_get_twice_their_study_s_time_whatever_the_run_was() -> None:
    """A run of two sides has the time of both in its budget, a study that of one."""
    asked = request_of(replace(OPTIONS, settings=("kernel=triad",)))
    for is_ab in (False, True):
        both = inherit(asked, header_of(OLD, is_ab=is_ab), frozenset({"settings"}))
        assert both.precision.budget_seconds == 2 * asked.precision.budget_seconds


def test_other_settings_make_another_study() -> None:
    asked = now(settings=("kernel=triad",))
    assert asked.study.experiments[0].parameters["kernel"] == ("triad",)
    assert "size" not in asked.study.experiments[0].parameters


def test_names_that_are_left_out_are_the_old_run_s() -> None:
    header = header_of(replace(OLD, precision=PRECISION), is_ab=True)
    asked = inherit(request_of(DEFAULT), header, frozenset())
    assert asked.names == ("memory.stream",)
    assert asked.study == OLD.study
    # It was measured with two sides already: its budget is for both.
    assert asked.precision == PRECISION


def test_a_run_whose_benchmark_is_gone_is_repeated_without_it() -> None:
    study = replace(
        OLD.study, experiments=(*OLD.study.experiments, Experiment("memory.gone", {"x": (1,)}))
    )
    old = replace(OLD, names=("memory.stream", "memory.gone"), study=study)
    asked = inherit(request_of(DEFAULT), header_of(old), frozenset())
    assert asked.names == old.names
    assert asked.study.experiments == OLD.study.experiments


def as_baseline(run: str, *, trust: bool = False, **machine: object) -> None:
    """Take the run as the baseline of its own points."""
    here = replace(synthetic_machine(), **machine)
    request = inherit(request_of(DEFAULT), find_run(run, Context()).header(), frozenset())
    baseline(run, request, here, trust=trust)


def stranger(folder: Path, **requested: object) -> str:
    """A run that somebody gave this user, and what it requests."""
    two_sided(folder, replace(ASKED, **requested))
    return str(folder)


def of_programs(count: int) -> Request:
    """A request of that many programs that are not ours, and of one that is not installed."""
    program = Command(("/app",), "/", 60.0)
    missing = Experiment("app.missing", lacks="it is not installed") if count > 1 else None
    experiments = [Experiment(f"app.{n}", command=program) for n in range(count)]
    study = replace(ASKED.study, experiments=tuple(filter(None, (*experiments, missing))))
    return replace(ASKED, study=study)


@pytest.mark.parametrize("count", [1, 3])
def test_programs_alone_are_neither_a_baseline_nor_a_candidate(home: Path, count: int) -> None:
    programs = of_programs(count)
    two_sided(home / "runs" / "programs", programs)
    two_sided(home / "runs" / "ours", ASKED)
    for run, candidate in (("programs", ASKED), ("ours", programs)):
        with pytest.raises(UsageError, match="no benchmark of machmeter's own") as caught:
            baseline(run, candidate, synthetic_machine())
        assert "machmeter compare" in caught.value.remedy


@pytest.mark.usefixtures("home")
def test_a_stranger_s_run_is_no_baseline_unless_it_is_trusted(tmp_path: Path) -> None:
    run = stranger(tmp_path / "theirs")
    with pytest.raises(UsageError, match="not known to be yours") as caught:
        as_baseline(run)
    assert "--trust" in caught.value.remedy
    # One that is trusted is only refused because it measured nothing.
    with pytest.raises(UsageError, match="nothing to repeat"):
        as_baseline(run, trust=True)


def test_one_s_own_run_is_a_baseline(home: Path) -> None:
    stranger(home / "runs" / "mine", compiler="/my/c++")
    with pytest.raises(UsageError, match="nothing to repeat"):
        as_baseline("mine")


@pytest.mark.parametrize("flags", [("-O2;id",), ("-O2 -g",), ("-o/tmp/x",), ("",)])
def test_flags_in_a_file_are_read_like_those_of_a_command_line(
    home: Path, flags: tuple[str, ...]
) -> None:
    stranger(home / "runs" / "two", flags=flags)
    with pytest.raises(UsageError, match="run two"):
        as_baseline("two")


def test_a_remembered_run_of_this_host_is_this_user_s(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    run = stranger(folder, compiler="/my/c++")
    remember_folders(home, [folder])
    with pytest.raises(UsageError, match="nothing to repeat"):
        as_baseline(run)
    with pytest.raises(UsageError, match="not known to be yours"):
        as_baseline(run, host="another")


def test_a_run_that_another_user_wrote_is_not_this_user_s_wherever_it_lies(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run says of its host anybody can write; who owns the file the system says."""
    folder = tmp_path / "elsewhere"
    stranger(folder, compiler="/their/c++")
    stranger(home / "runs" / "given", compiler="/their/c++")
    remember_folders(home, [folder])
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    for name in (str(folder), "given"):
        with pytest.raises(UsageError, match="not known to be yours"):
            as_baseline(name)


def test_ranks_are_refused_where_the_earlier_run_has_none() -> None:
    new = replace(OLD, layout_options=LayoutOptions(rank_counts=(2,)))
    with pytest.raises(UsageError, match=r"--ranks 2: memory\.stream has no ranks"):
        inherit(new, header_of(OLD), frozenset({"ranks"}))


def test_launch_modes_take_the_place_of_threads_and_threads_that_of_modes() -> None:
    by_modes = now(modes="mpi", ranks="2", names=("network.barrier",)).layout_options
    assert (by_modes.modes, by_modes.threads) == ((LaunchMode.MPI,), ())
    old = replace(OLD, layout_options=LayoutOptions(modes=(LaunchMode.HYBRID,)))
    new = request_of(replace(OPTIONS, settings=(), layout={"smt": "2"}))
    layout = inherit(new, header_of(old), frozenset({"smt"})).layout_options
    assert (layout.modes, layout.smt) == ((), 2)
