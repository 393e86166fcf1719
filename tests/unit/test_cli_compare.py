"""`machmeter compare` as a person or a program meets it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_calls import call, document
from fake_launcher import STUDY, FakeLauncher, new_folder, run_to_end
from known_machines import code, machine
from made_up_estimates import made_up
from msgspec.structs import replace
from two_sides import against, asking, measured, two_sided

from machmeter.analysis.scores import Score, ScoreKind
from machmeter.cli.comparing import compared
from machmeter.cli.completion import complete_machine
from machmeter.cli.known import known_machine
from machmeter.cli.score_options import ScoreName
from machmeter.cli.scoring import ScoreAsked, numbers_by_code
from machmeter.model.errors import ExitCode, UsageError
from machmeter.model.estimate import Estimate
from machmeter.model.known import KnownMachine, Origin
from machmeter.model.layout import Layout
from machmeter.model.study import Experiment
from machmeter.store.run_folder import RunFolder

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
    assert comparison["figures"]
    code, out, err = call(capfd, "compare", "gordon", "comet")
    assert (code, err) == (ExitCode.DONE, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 100
    assert "Comet" in lines[0]
    assert "published 2015" in lines[0]
    assert "as printed, without interval" in out


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
    benchmarks = {f["a"]["point"]["benchmark"] for f in found["comparisons"][0]["figures"]}
    assert benchmarks == {"workload.neuron"}


@pytest.mark.parametrize("score", [s.value for s in ScoreName if s is not ScoreName.SSP])
def test_a_score_comes_after_its_components(capfd: pytest.CaptureFixture[str], score: str) -> None:
    words = ("compare", "gordon", "comet", "--score", score, "--adjusted")
    (found,) = document(capfd, "compare", *words)["scores"]
    assert found["kind"] == score
    assert found["components"]
    assert found["high"] is None
    _, out, _ = call(capfd, *words)
    lines = out.splitlines()
    components = [n for n, line in enumerate(lines) if line.startswith("  neuron ")]
    number = next(n for n, line in enumerate(lines) if "score, over" in line)
    assert components[-1] < number
    assert "as printed, no interval of measurement" in lines[number]


def test_a_score_without_anything_in_common_says_what_it_is_made_of(
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = document(capfd, "error", "compare", "tigerton", "comet", "--score", "ssp")
    assert found["exit_code"] == ExitCode.WRONG_USAGE
    assert "reference_tflop" in found["error"]


def test_ssp_of_every_machine_over_the_codes_that_all_have(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        """
format = 1
id = "own"
name = "Our own"
summary = "As fast as Hopper on fewer nodes."
source = "our tests"
year = 2026

[counts]
nodes = 100
cores = 6400

[[tables]]
page = "our wiki"
workload = "minife"
quantity = "wall time"
better = "lower"
unit = "s"
decimals = 1
parameters = { case = "large", reference_tflop = 1065 }
layout = { nodes = 64, ranks_per_node = 64 }
figures = [{ id = "minife", value = 92.4 }]
""",
        encoding="utf-8",
    )
    refused = document(capfd, "error", "compare", "hopper", str(path), "--score", "ssp")
    assert "score of own: it lacks minighost" in refused["error"]
    assert "--adjusted" in refused["remedy"]
    words = ("compare", "hopper", str(path), "--score", "ssp", "--adjusted")
    hopper, own = document(capfd, "compare", *words)["scores"]
    assert hopper["adjusted"]
    # 0.00563 TF/s of a node as NERSC printed it; ours does the same work on 64 nodes of 2048.
    assert hopper["value"] == pytest.approx(0.00563e12 * 6384, rel=1e-3)
    assert own["value"] == pytest.approx(0.00563e12 * (2048 / 64) * 100, rel=1e-3)
    assert "minighost" in own["missing"]


@pytest.mark.parametrize("number", ["1e308", "1e-300", "nan", "inf", "0"])
def test_a_capability_beyond_all_machines_is_wrong_usage(number: str) -> None:
    with pytest.raises(UsageError, match=r"from 1e-09 to 1e\+09"):
        numbers_by_code("--capability", [f"neuron={number}"])
    assert numbers_by_code("--capability", ["neuron=1e9"]) == {"neuron": 1e9}


def test_a_weight_that_is_no_number(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("compare", "gordon", "comet", "--score", "ssi", "--weight", "neuron=-1")
    assert "not CODE=NUMBER" in document(capfd, "error", *words)["error"]


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
    assert known_machine(str(path)).origin is Origin.PUBLISHED
    names = ("compare", "comet", str(path), "-b", "workload.neuron")
    (unknown,) = document(capfd, "compare", *names)["comparisons"]
    assert unknown["figures"] == []
    assert unknown["refusals"][0]["reason"] == (
        "cells 10500, model olfactory bulb, steps 40000: not stated by own, so that it is not "
        "known to be the same work"
    )
    same = 'parameters = { model = "olfactory bulb", cells = 10_500, steps = 40_000 }\nlayout ='
    path.write_text(path.read_text(encoding="utf-8").replace("layout =", same), encoding="utf-8")
    found = document(capfd, "compare", *names)
    ratios = [f["by"]["as measured"]["ratio"] for f in found["comparisons"][0]["figures"]]
    assert pytest.approx(1207 / 600) in ratios


def test_what_another_tool_printed(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "osu.txt"
    path.write_text(
        "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
        "8                       2.50\n16                      2.60\n",
        encoding="utf-8",
    )
    known = known_machine(str(path))
    assert known.origin is Origin.IMPORTED
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
    (figure,) = found["comparisons"][0]["figures"]
    assert figure["by"]["as measured"]["ratio"] == pytest.approx(2.0)


def test_completion_offers_runs_and_published_machines(one_run: RunFolder) -> None:
    assert "a-run" in complete_machine("a-")
    assert complete_machine("come") == ["comet"]


def test_two_runs_beside_each_other_and_together(
    capfd: pytest.CaptureFixture[str], two_runs: tuple[str, str]
) -> None:
    found = document(capfd, "compare", "compare", *two_runs)
    figures = found["comparisons"][0]["figures"]
    assert figures
    assert not any(figure["as_printed"] for figure in figures)
    both = known_machine(",".join(two_runs))
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
        assert "in common" in error["error"]


def test_one_library_of_one_side_of_a_run(home: Path) -> None:
    experiment = Experiment("network.latency", {"size": (8,)})
    study = replace(STUDY, experiments=(experiment,), questions=())
    asked = replace(asking(study, mpis=("mpich", "openmpi")), mpi="mpich,openmpi")
    measured(two_sided(home / "runs" / "two", asked, against(asked)))
    old, new = (known_machine(f"two@{side}@openmpi") for side in ("old", "new"))
    assert (old.id, new.id) == ("two@old@openmpi", "two@new@openmpi")
    found = compared([old, new], ()).comparisons[0]
    assert found.paired
    assert found.figures
    with pytest.raises(UsageError, match="two@old has no MPI library 'cray'"):
        known_machine("two@old@cray")


def test_a_whole_run_is_not_set_beside_one_of_its_libraries() -> None:
    def known(name: str) -> KnownMachine:
        return KnownMachine(name, name, Origin.MEASURED, "made up", runs=("r",))

    with pytest.raises(UsageError, match="with themselves"):
        compared([known("r"), known("r@mpich")], ())
    both = compared([known("r@openmpi"), known("r@mpich")], ())
    assert both.comparisons[0].paired


def test_a_benchmark_that_no_machine_has(capfd: pytest.CaptureFixture[str]) -> None:
    error = document(capfd, "error", "compare", "gordon", "comet", "-b", "nosuch")
    assert error["exit_code"] == ExitCode.WRONG_USAGE
    assert "workload.neuron" in error["remedy"]


@pytest.mark.parametrize("option", ["--capability", "--weight"])
def test_a_mistyped_code_is_not_left_aside(capfd: pytest.CaptureFixture[str], option: str) -> None:
    words = ("compare", "gordon", "comet", option, "nosuch=4")
    error = document(capfd, "error", *words, "--score", "ssi", "--adjusted")
    assert "names no code of the score" in error["error"]
    assert "neuron" in error["remedy"]
    for without in ((), ("--score", "spec")):
        assert "--score ssi" in document(capfd, "error", *words, *without)["error"]


@pytest.mark.parametrize("command", ["compare", "report"])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--adjusted",), "--adjusted is of `--score`"),
        (("--score", "ssi", "--score-over", "all"), "--score-over is of `--score spec`"),
        (("--score", "ssi", "--adjusted", "--weight", "nosuch=2"), "names no code of the score"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    capfd: pytest.CaptureFixture[str], command: str, options: tuple[str, ...], told: str
) -> None:
    error = document(capfd, "error", command, "gordon", "comet", *options)
    assert error["exit_code"] == ExitCode.WRONG_USAGE
    assert told in error["error"]


def test_codes_without_a_number_of_nodes_are_told_of(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("compare", "gordon", "comet", "--score", "throughput")
    error = document(capfd, "error", *words)
    assert "on how many nodes is not stated by gordon" in error["error"]
    (score,) = document(capfd, "compare", *words, "--adjusted")["scores"]
    assert score["missing"] == ["raxml"]
    assert "raxml" not in {one["name"] for one in score["components"]}


def test_a_score_counts_what_was_measured_once() -> None:
    def messages(value: float) -> tuple[Estimate, ...]:
        layout = Layout(ranks_per_node=2)
        return tuple(
            made_up("network.bandwidth", {"size": 8, "window": 64}, layout, metric, value)
            for metric in ("bandwidth_one_way", "message_rate")
        )

    def score_of(both: int) -> Score:
        machines = [machine(n, *messages(v)[:both]) for n, v in (("a", 1e9), ("b", 1.1e9))]
        (found,) = compared(machines, (), ScoreAsked(ScoreKind.SPEC, every=True)).scores
        return found

    assert score_of(2) == score_of(1)


def test_scores_of_several_machines_are_over_the_same_codes() -> None:
    def paper(name: str, **times: float) -> KnownMachine:
        return machine(name, *(code(n, t) for n, t in times.items()), origin=Origin.PUBLISHED)

    machines = [paper("a", x=1.0, y=1.0, z=1.0), paper("b", x=2.0, y=3.0), paper("c", x=5.0, z=1.0)]
    with pytest.raises(UsageError, match="of b: it lacks z"):
        compared(machines, (), ScoreAsked(ScoreKind.SPEC))
    whole = paper("whole", x=1.0, y=1.0, z=1.0)
    with pytest.raises(UsageError, match="of b: it lacks z"):
        compared([machines[0], whole, machines[1]], (), ScoreAsked(ScoreKind.SPEC))
    scores = compared(machines, (), ScoreAsked(ScoreKind.SPEC, adjusted=True)).scores
    assert [[one.name for one in score.components] for score in scores] == [["x"], ["x"]]
    assert all(score.adjusted and set(score.missing) == {"y", "z"} for score in scores)
