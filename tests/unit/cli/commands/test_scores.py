"""Scores as a person or a program asks for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.analysis.scores.scores import Score, ScoreKind
from machmeter.api.comparing import compare_results
from machmeter.api.scores import ScoreRequest
from machmeter.cli.options.score_options import ScoreName, numbers_by_code
from machmeter.model.errors import ExitCode, UsageError
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from tests.support.cli_calls import call, document
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import code, machine

pytestmark = pytest.mark.usefixtures("home")


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
    number = next(n for n, line in enumerate(lines) if "score of " in line)
    assert components[-1] < number
    assert "no confidence interval of the measurement" in lines[number]


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


@pytest.mark.parametrize("option", ["--capability", "--weight"])
def test_a_mistyped_code_is_not_left_aside(capfd: pytest.CaptureFixture[str], option: str) -> None:
    words = ("compare", "gordon", "comet", option, "nosuch=4")
    error = document(capfd, "error", *words, "--score", "ssi", "--adjusted")
    assert "the score has no code" in error["error"]
    assert "neuron" in error["remedy"]
    for without in ((), ("--score", "spec")):
        assert "--score ssi" in document(capfd, "error", *words, *without)["error"]


@pytest.mark.parametrize("command", ["compare", "report"])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--adjusted",), "--adjusted needs --score"),
        (("--score", "ssi", "--score-over", "all"), "--score-over needs `--score spec`"),
        (("--score", "ssi", "--adjusted", "--weight", "nosuch=2"), "the score has no code"),
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
        (found,) = compare_results(machines, score=ScoreRequest(ScoreKind.SPEC, every=True)).scores
        return found

    assert score_of(2) == score_of(1)


def test_scores_of_several_machines_are_over_the_same_codes() -> None:
    def paper(name: str, **times: float) -> MachineResults:
        return machine(name, *(code(n, t) for n, t in times.items()), origin=Origin.PUBLISHED)

    machines = [paper("a", x=1.0, y=1.0, z=1.0), paper("b", x=2.0, y=3.0), paper("c", x=5.0, z=1.0)]
    with pytest.raises(UsageError, match="of b: it lacks z"):
        compare_results(machines, score=ScoreRequest(ScoreKind.SPEC))
    whole = paper("whole", x=1.0, y=1.0, z=1.0)
    with pytest.raises(UsageError, match="of b: it lacks z"):
        compare_results([machines[0], whole, machines[1]], score=ScoreRequest(ScoreKind.SPEC))
    scores = compare_results(machines, score=ScoreRequest(ScoreKind.SPEC, adjusted=True)).scores
    assert [[one.name for one in score.components] for score in scores] == [["x"], ["x"]]
    assert all(score.adjusted and set(score.missing) == {"y", "z"} for score in scores)
