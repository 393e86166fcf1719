"""`machmeter run` up to its first launch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter import api
from machmeter.api.measuring import _identity, resume
from machmeter.build.openmp import is_made_for_this_machine
from machmeter.cli.options.run_options import parse_settings
from machmeter.cli.printing.plan import plan_lines
from machmeter.machine.detect import detect_machine
from machmeter.machine.libraries import find_openmp_runtimes
from machmeter.model.errors import ExitCode, MachineLacksError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Precision, Request
from machmeter.run.measuring.start import create_run
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import choose_sizes
from machmeter.store.run_folder import RunFolder
from machmeter.studies.select import select
from tests.support.cli_calls import call, document
from tests.support.fake_launcher import new_folder, synthetic_machine
from tests.support.made_up.ab_runs import ASKED, against
from tests.support.paths import DATA
from tests.support.sysfs_tree import Shape

LATENCY = ("run", "memory.latency", "--pages", "4KiB")
SMALL_CACHES = DATA / "hwloc" / "siblings_numbered_last.xml"


def test_a_folder_that_holds_a_run_is_no_place_for_another(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text("{}")
    code, _, said = call(capfd, *LATENCY, "--output", str(tmp_path))
    assert code == ExitCode.WRONG_USAGE
    assert "holds a run" in said


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("quick",), "names"),
        (("--budget", "10s"), "--budget"),
        (("--min-launches", "10"), "--min-launches"),
        (("--dry-run",), "--dry-run"),
        (("--set", "size=8"), "--set"),
    ],
)
def test_resume_takes_no_other_wish(
    capfd: pytest.CaptureFixture[str], home: Path, words: tuple[str, ...], named: str
) -> None:
    new_folder(home / "runs" / "a-run")
    code, _, said = call(capfd, "run", "--resume", "last", *words)
    assert code == ExitCode.WRONG_USAGE
    assert f"takes no {named}" in said


@pytest.mark.parametrize("option", ["--against", "--resume"])
@pytest.mark.usefixtures("home")
def test_an_empty_name_of_a_run_measures_nothing_else(
    capfd: pytest.CaptureFixture[str], option: str
) -> None:
    code, _, said = call(capfd, *LATENCY[:2], option, "", "--dry-run")
    assert code == ExitCode.WRONG_USAGE
    assert f"{option}: the name of the run is empty" in said


def test_resume_takes_where_the_report_goes(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    page = str(tmp_path / "page.html")
    _, _, said = call(capfd, "run", "--resume", "last", "--report", page, "--json")
    assert "takes no" not in said


@pytest.mark.usefixtures("home")
def test_a_dry_run_prints_points_launches_and_time(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capfd, *LATENCY, "--set", "size=4KiB", "--dry-run")
    assert code == ExitCode.DONE
    assert ": 1 point per launch" in out
    assert "    size 4KiB\n" in out
    assert "1 point, at least 20 launches" in out
    assert "auto" not in out
    code, out, _ = call(capfd, *LATENCY, "--dry-run")
    assert "    size (auto) 4KiB, " in out
    assert "at least 25 launches" in out


@pytest.mark.skipif(not is_made_for_this_machine(), reason="Intel makes none for this machine")
@pytest.mark.usefixtures("home")
def test_a_dry_run_plans_for_a_runtime_that_the_run_fetches(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = call(capfd, *LATENCY, "--openmp", "libiomp5", "--dry-run")
    assert code == ExitCode.DONE
    assert "libiomp5" in out
    if "libiomp5" not in find_openmp_runtimes():
        assert "from PyPI when the run begins" in " ".join(out.split())


@pytest.mark.usefixtures("home")
def test_a_dry_run_of_nothing_ends_as_the_run_would(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, said = call(capfd, "run", "memory.latency", "--pages", "1GiB", "--dry-run")
    assert code == ExitCode.MACHINE_LACKS
    assert "nothing requested can run" in said


@pytest.mark.usefixtures("home")
def test_a_dry_run_as_a_document_counts_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    assert document(capfd, "run-dry-run", *LATENCY, "--dry-run")["launches_at_least"] == 25


def test_the_lines_of_any_plan_fit_into_a_terminal() -> None:
    machine = synthetic_machine(Shape())
    study = select(("quick", "memory", "threads", "network"), parse_settings(["size=8,1KiB"]))
    plan = make_plan(study, machine, LayoutOptions(), Precision(), choose_sizes(machine, ()))
    lines = plan_lines(plan, study)
    assert max(len(line) for line in lines) <= 100
    for spec in plan.specs:
        assert any(line.startswith(spec.name) for line in lines)


def test_a_run_is_known_by_its_host_and_the_cpus_it_may_use() -> None:
    machine = synthetic_machine(Shape(1, 2, 2, 2))
    cpus = machine.topology.cpus
    renamed = tuple(replace(cpu, core=100 + cpu.core, numa=0) for cpu in reversed(cpus))
    same = replace(machine, topology=replace(machine.topology, cpus=renamed, source="hwloc"))
    assert _identity(same) == _identity(machine)
    fewer = replace(machine, topology=replace(machine.topology, cpus=cpus[1:]))
    assert _identity(fewer) != _identity(machine)
    assert _identity(replace(machine, host="other")) != _identity(machine)


def interrupted(
    folder: Path, asked: Request, machine: Machine, old: Request | None = None
) -> RunFolder:
    """A run on this machine, one side or two, that was interrupted before its first launch."""
    sides = against(old) if old else None
    return create_run(folder, "a-run", asked, machine, ("machmeter",), sides)


@pytest.mark.usefixtures("home")
def test_a_stranger_s_run_is_not_resumed_unless_it_is_trusted(tmp_path: Path) -> None:
    theirs = replace(ASKED, compiler="/their/no-such-c++")
    interrupted(tmp_path / "theirs", theirs, detect_machine())
    with pytest.raises(UsageError, match="not known to be yours") as caught:
        resume(str(tmp_path / "theirs"))
    assert "--trust" in caught.value.remedy
    # One that is trusted gets as far as looking for its compiler.
    with pytest.raises(MachineLacksError, match="/their/no-such-c"):
        resume(str(tmp_path / "theirs"), trust=True)


def test_flags_of_a_run_that_is_resumed_are_read_like_those_of_a_command_line(home: Path) -> None:
    asked = replace(ASKED, flags=("-O2;id",))
    interrupted(home / "runs" / "mine", asked, detect_machine())
    with pytest.raises(UsageError, match="no flag of a compiler"):
        resume("mine")


def test_one_s_own_run_is_resumed_with_what_it_names(home: Path) -> None:
    """It gets as far as looking for its compiler."""
    asked = replace(ASKED, compiler="/my/no-such-c++")
    interrupted(home / "runs" / "mine", asked, detect_machine())
    with pytest.raises(MachineLacksError, match="/my/no-such-c"):
        resume("mine")


@pytest.mark.usefixtures("home")
def test_a_dry_run_says_what_a_short_budget_cuts(capfd: pytest.CaptureFixture[str]) -> None:
    one = (*LATENCY, "--set", "size=4KiB", "--dry-run")
    _, out, _ = call(capfd, *one)
    assert "at least 20 launches (10 of the reference kernel): about " in out
    assert ", up to the budget of 5 min 0 s where the target" in " ".join(out.split())
    _, out, _ = call(capfd, *one, "--budget", "4s")
    assert "4 s, the budget; all these launches would take about " in " ".join(out.split())
    # Of a machine with a large last cache the fewest launches alone take more than a minute.
    small = ("run", "--dry-run", "--hwloc-xml", str(SMALL_CACHES))
    _, out, _ = call(capfd, *small, "--budget", "1s")
    assert "beyond the budget of 1 s: no result without two launches" in " ".join(out.split())
    assert re.search(r"1 s decides about 0 of \d questions; about .* needed", " ".join(out.split()))
    assert re.search(r"\d layouts are left out, --force keeps them", " ".join(out.split()))
    assert "not measured: memory.latency (" in out
    _, forced, _ = call(capfd, *small, "--budget", "1s", "--force")
    assert "left out" not in forced
    assert "1 s is short for 10 launches" in forced


@pytest.mark.usefixtures("home")
def test_a_run_says_what_a_short_budget_decides_before_it_compiles() -> None:
    heard: list[str] = []
    short = api.request(budget_seconds=20, compiler="/my/no-such-c++")
    with pytest.raises(MachineLacksError, match="/my/no-such-c"):
        machine = replace(api.this_machine(hwloc_xml=SMALL_CACHES), described_otherwise=())
        api.measure(short, machine=machine, context=api.Context(notify=heard.append))
    assert any(line.startswith("20 s decides about ") for line in heard)


@pytest.mark.usefixtures("home")
def test_a_topology_file_of_another_machine_is_refused_unless_nothing_is_launched(
    capfd: pytest.CaptureFixture[str],
) -> None:
    other = (*LATENCY, "--hwloc-xml", str(DATA / "hwloc" / "thirteen_boards.xml"))
    code, _, said = call(capfd, *other, "--compiler", "/my/no-such-c++")
    assert code == ExitCode.WRONG_USAGE
    assert "the topology file describes another machine: CPUs 0-103 (here " in said
    code, out, _ = call(capfd, *other, "--dry-run")
    assert code == ExitCode.DONE
    assert "the topology file describes another machine: CPUs 0-103" in " ".join(out.split())


@pytest.mark.usefixtures("home")
def test_threads_that_nothing_requested_takes_are_refused(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code, _, said = call(capfd, "run", "network.latency", "--threads", "3", "--dry-run")
    assert code == ExitCode.WRONG_USAGE
    assert "nothing requested takes --threads 3: network.latency has one thread a rank" in said
    code, _, _ = call(capfd, "run", "network.latency", "--threads", "1", "--dry-run")
    assert code == ExitCode.DONE


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", ["memory.stream", "memory"])
def test_ranks_that_nothing_requested_takes_are_refused(
    capfd: pytest.CaptureFixture[str], name: str
) -> None:
    code, _, said = call(capfd, "run", name, "--ranks", "4", "--dry-run")
    assert code == ExitCode.WRONG_USAGE
    assert "nothing requested takes --ranks 4: memory.stream has no ranks" in said
    assert "leave --ranks out" in said
    code, _, _ = call(capfd, "run", "memory.stream", "--ranks", "1", "--dry-run")
    assert code == ExitCode.DONE


@pytest.mark.usefixtures("home")
def test_a_device_is_refused_where_nothing_measures_one(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, said = call(capfd, "run", "memory.stream", "--device", "opencl:0", "--dry-run")
    assert code == ExitCode.WRONG_USAGE
    assert "nothing requested takes --device opencl:0: memory.stream measures no device" in said
    words = ("run", "device.stream", "--device", "opencl:0", "--on", "louhi", "--dry-run")
    code, _, said = call(capfd, *words)
    assert code == ExitCode.WRONG_USAGE
    assert "--device would change nothing" in said


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("run", "network.latency", "--set", "siz=8"), "size"),
        (("show", "lst"), "did you mean last?"),
        (("compare", "lst", "edsion"), "did you mean last?"),
        (("show", "edsion"), "edison"),
        (("show", "--all", "memory.latncy"), "did you mean memory.latency"),
        (("show", "last@baseline"), "`machmeter show machine last@baseline` shows"),
        (("run", "memory.stream", "--set", "size=8XB"), "remedy: write 8, 64KiB or 1.5MB"),
        (("run", "--min-launches", "0"), "--min-launches 0 is too few"),
        (("list", "memory.strem"), "did you mean memory.stream"),
    ],
)
def test_what_was_mistyped_is_answered_with_what_is_near(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], meant: str
) -> None:
    code, _, said = call(capfd, *words)
    assert code == ExitCode.WRONG_USAGE
    assert meant in said


@pytest.mark.usefixtures("home")
def test_sizes_of_a_dry_run_are_exact_and_in_order(capfd: pytest.CaptureFixture[str]) -> None:
    given = "size=16387,16KiB,1027,64KiB,16381"
    _, out, _ = call(capfd, "run", "network.latency", "--set", given, "--dry-run")
    assert "    size 1027B, 16381, 16KiB, 16387, 64KiB\n" in out
