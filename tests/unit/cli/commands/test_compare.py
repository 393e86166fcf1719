"""`machmeter compare` as a person or a program meets it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.comparing import MAX_MACHINES, compare_results
from machmeter.api.machines import machine
from machmeter.api.reports import report
from machmeter.cli.options.completion import complete_machine
from machmeter.model.errors import ExitCode, UsageError
from machmeter.model.origin import Origin
from machmeter.model.plan.study import Experiment
from machmeter.model.results.machine import MachineResults
from machmeter.published.load import machine_names
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document
from tests.support.fake_launcher import STUDY, FakeLauncher, new_folder, run_to_end
from tests.support.made_up.ab_runs import against, asking, measured, two_sided

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def two_runs(home: Path, one_run: RunFolder) -> tuple[str, str]:
    other = new_folder(home / "runs" / "b-run")
    header = other.path / "run.json"
    header.write_text(header.read_text().replace('"a-run"', '"b-run"'))
    run_to_end(other, FakeLauncher())
    return "a-run", "b-run"


def test_two_published_machines(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "compare", "compare", "gordon", "comet")
    assert [machine["id"] for machine in found["machines"]] == ["gordon", "comet"]
    # What nobody printed, as watts and price, is left out and not zero.
    assert found["machines"][0]["parts"] == {"nodes": 1024, "cores": 16384}
    (comparison,) = found["comparisons"]
    assert comparison["results"]
    code, out, err = call(capfd, "compare", "gordon", "comet")
    assert (code, err) == (ExitCode.DONE, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0] == "Comet is 28 % better in applications than Gordon."
    assert "published machine comet: Tatineni et al., MUG 2015" in out
    assert "no confidence interval" in out


@pytest.mark.parametrize(
    ("count", "code"), [(MAX_MACHINES, ExitCode.DONE), (MAX_MACHINES + 1, ExitCode.WRONG_USAGE)]
)
def test_so_many_machines_are_compared_and_no_more(
    capfd: pytest.CaptureFixture[str], count: int, code: ExitCode
) -> None:
    names = machine_names()[:count]
    assert call(capfd, "compare", *names, "--benchmark", "network")[0] == code
    assert len(names) == count


def test_a_run_beside_published_machines_and_beside_itself(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    code, out, _ = call(capfd, "compare", "last", "tigerton", "scalemp")
    assert code == ExitCode.DONE
    assert max(map(len, out.splitlines())) <= 100
    error = document(capfd, "error", "compare", "last", "last")
    assert "named twice" in error["error"]


def test_one_machine_alone_and_a_name_that_means_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert document(capfd, "error", "compare", "gordon")["exit_code"] == ExitCode.WRONG_USAGE
    found = document(capfd, "error", "compare", "gordon", "nowhere")
    assert "no published machine or file" in found["error"]
    assert "machmeter list machines" in found["remedy"]


def test_a_comparison_kept_to_a_benchmark(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "compare", "compare", "gordon", "comet", "-b", "workload.neuron")
    benchmarks = {f["a"]["point"]["benchmark"] for f in found["comparisons"][0]["results"]}
    assert benchmarks == {"workload.neuron"}


def test_a_machine_in_a_file_of_ones_own(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        """
format = 1
id = "own"
name = "Our own"
summary = "Bought last year."
source = "our tests"
year = 2026

[counts]
nodes = 4
cores = 96

[[tables]]
page = "our wiki"
workload = "neuron"
quantity = "wall time"
better = "lower"
unit = "s"
decimals = 0
layout = { nodes = 2, ranks_per_node = 24 }
figures = [{ id = "neuron-48", value = 600 }]
""",
        encoding="utf-8",
    )
    assert machine(str(path)).origin is Origin.PUBLISHED
    names = ("compare", "comet", str(path), "-b", "workload.neuron")
    (unknown,) = document(capfd, "compare", *names)["comparisons"]
    assert unknown["results"] == []
    assert unknown["refusals"][0]["reason"] == (
        "cells 10500, model olfactory bulb, steps 40000: not stated by own, so that it is not "
        "known to be the same work"
    )
    same = 'parameters = { model = "olfactory bulb", cells = 10_500, steps = 40_000 }\nlayout ='
    path.write_text(path.read_text(encoding="utf-8").replace("layout =", same), encoding="utf-8")
    found = document(capfd, "compare", *names)
    ratios = [f["by"]["as measured"]["ratio"] for f in found["comparisons"][0]["results"]]
    assert pytest.approx(1207 / 600) in ratios


def test_what_another_tool_printed(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "osu.txt"
    path.write_text(
        "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
        "8                       2.50\n16                      2.60\n",
        encoding="utf-8",
    )
    assert machine(str(path)).origin is Origin.IMPORTED
    found = document(capfd, "compare", "compare", "gordon", str(path))
    assert found["machines"][1]["origin"] == "imported"


def test_files_of_one_name_are_told_apart_by_their_folders(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    paths = []
    for folder, time in (("old", "2.50"), ("new", "1.25")):
        path = tmp_path / folder / "osu.txt"
        path.parent.mkdir()
        head = "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
        path.write_text(f"{head}8                       {time}\n", encoding="utf-8")
        paths.append(str(path))
    found = document(capfd, "compare", "compare", *paths)
    assert [machine["id"] for machine in found["machines"]] == paths
    (figure,) = found["comparisons"][0]["results"]
    assert figure["by"]["as measured"]["ratio"] == pytest.approx(2.0)


def test_completion_offers_runs_and_published_machines(one_run: RunFolder) -> None:
    assert ("a-run", "run") in complete_machine("a-")
    assert complete_machine("come") == [("comet", "published machine")]


def test_two_runs_beside_each_other_and_together(
    capfd: pytest.CaptureFixture[str], two_runs: tuple[str, str]
) -> None:
    found = document(capfd, "compare", "compare", *two_runs)
    figures = found["comparisons"][0]["results"]
    assert figures
    assert not any(figure["as_printed"] for figure in figures)
    both = machine(",".join(two_runs))
    assert len(both.runs) == 2
    assert both.estimates[0].launches > figures[0]["a"]["launches"]
    error = document(capfd, "error", "compare", f"{two_runs[0]},{two_runs[0]}", "gordon")
    assert "named twice" in error["error"]


def test_launches_are_not_compared_with_themselves(
    capfd: pytest.CaptureFixture[str], two_runs: tuple[str, str]
) -> None:
    one, other = two_runs
    for a, b in ((f"{one},{other}", one), (f"{one},{other}", f"{other},{one}")):
        error = document(capfd, "error", "compare", a, b)
        assert error["exit_code"] == ExitCode.WRONG_USAGE
        assert "share run" in error["error"]


def test_one_library_of_one_side_of_a_run(home: Path) -> None:
    experiment = Experiment("network.latency", {"size": (8,)})
    study = replace(STUDY, experiments=(experiment,), questions=())
    asked = replace(asking(study, mpis=("mpich", "openmpi")), mpi="mpich,openmpi")
    of_old = replace(asked, flags=("-O1",))
    measured(two_sided(home / "runs" / "two", asked, against(of_old)))
    old, new = (machine(f"two@{side}@openmpi") for side in ("baseline", "candidate"))
    assert (old.id, new.id) == ("two@baseline@openmpi", "two@candidate@openmpi")
    found = compare_results([old, new]).comparisons[0]
    assert found.paired
    assert found.results
    page = report("two@candidate@openmpi", "two@baseline@openmpi", path=home / "page.html").path
    (command,) = re.findall(r"machmeter run network[^<]*", page.read_text())
    assert "--mpi openmpi --flags=-O1" in command
    with pytest.raises(UsageError, match="two@baseline has no MPI library 'cray'"):
        machine("two@baseline@cray")


def test_a_whole_run_is_not_set_beside_one_of_its_libraries() -> None:
    def known(name: str) -> MachineResults:
        return MachineResults(name, name, Origin.MEASURED, "made up", runs=("r",))

    with pytest.raises(UsageError, match="with themselves"):
        compare_results([known("r"), known("r@mpich")])
    both = compare_results([known("r@openmpi"), known("r@mpich")])
    assert both.comparisons[0].paired


def test_a_benchmark_that_no_machine_has(capfd: pytest.CaptureFixture[str]) -> None:
    error = document(capfd, "error", "compare", "gordon", "comet", "-b", "nosuch")
    assert error["exit_code"] == ExitCode.WRONG_USAGE
    assert "workload.neuron" in error["remedy"]
