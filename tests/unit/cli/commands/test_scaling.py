"""`machmeter scaling` as a person and a program meet it."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.api import scalings
from machmeter.model.errors import ExitCode, MachineLacksError
from machmeter.model.results.scaling import NormalTerm
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document

pytestmark = pytest.mark.usefixtures("home")
OFF = "--no-extra-p"


def test_a_published_machine_is_summarized_in_a_line_a_figure(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code, out, err = call(capfd, "scaling", "gordon", "--benchmark", "workload.", OFF)
    assert (code, err) == (ExitCode.DONE, "")
    assert max(map(len, out.splitlines())) <= 100
    for words in ("neuron", "openfoam", "every step", "384", "power law", "--details"):
        assert words in out


def test_one_result_is_shown_in_full(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capfd, "scaling", "gordon", "--benchmark", "workload.raxml", OFF)
    assert code == ExitCode.DONE
    assert max(map(len, out.splitlines())) <= 100
    flowing = " ".join(out.split())
    for words in (
        "16 to 48 cores: speedup 2.06x of 3 (68.5 %)",
        "the first step from 16 cores does not scale (no CI)",
        "Tatineni",
        "serial share",
        "A doubling scales where",
        "Intervals from residuals",
    ):
        assert words in flowing


def test_the_document_has_every_series(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "scaling", "scaling", "comet", "--benchmark", "workload.", OFF)
    assert found["machine"] == "comet"
    names = [one["name"] for one in found["series"]]
    assert any("neuron" in name for name in names)
    openfoam = next(one for one in found["series"] if one["benchmark"] == "workload.openfoam")
    assert [step["superlinear"] for step in openfoam["steps"]] == [True] * 3
    # As printed there is no interval: null, as JSON has no infinity.
    assert openfoam["results"][0]["value"]["high"] is None


def test_a_run_with_counts_is_described(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    code, out, err = call(capfd, "scaling", str(one_run.path), OFF)
    assert (code, err) == (ExitCode.DONE, "")
    for words in ("barrier", "1 to 2 threads", "cost of one operation", "no law: 2 counts"):
        assert words in out


def test_prediction_beyond_twice_is_side_by_side_or_refused(
    capfd: pytest.CaptureFixture[str],
) -> None:
    words = ("scaling", "comet", "--benchmark", "workload.neuron", OFF, "--to", "6144")
    code, out, _ = call(capfd, *words)
    assert code == ExitCode.DONE
    assert "8 times the largest measured" in out
    assert "the laws differ by a factor of" in out
    code, _, err = call(
        capfd, "scaling", "comet", "--benchmark", "workload.hoomd", OFF, "--to", "4096"
    )
    assert code == ExitCode.WRONG_USAGE
    assert "cannot predict for 4096" in err
    assert "remedy" in err


def test_nothing_that_scales_is_told_with_a_remedy(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capfd, "scaling", "gordon", "--benchmark", "network.latency", OFF)
    assert code == ExitCode.WRONG_USAGE
    assert "two counts" in err
    # A published machine cannot be measured again.
    assert "machmeter run" not in err
    assert "--every" in err


def test_a_benchmark_or_metric_that_is_not_there(capfd: pytest.CaptureFixture[str]) -> None:
    for words in (("--benchmark", "no.such"), ("--metric", "no_such")):
        code, _, err = call(capfd, "scaling", "gordon", *words, OFF)
        assert code == ExitCode.WRONG_USAGE
        assert "gordon has no " in err
        assert "it has: " in err


@pytest.mark.parametrize("option", [("--least-gain", "3"), ("--to", "0"), ("--least-gain", "0.5")])
def test_options_without_meaning_are_refused(
    capfd: pytest.CaptureFixture[str], option: tuple[str, str]
) -> None:
    code, _, err = call(capfd, "scaling", "gordon", *option)
    assert code == ExitCode.WRONG_USAGE
    assert "remedy: use" in err


def test_without_extra_p_the_other_laws_are_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(*_: object) -> tuple[NormalTerm, ...]:
        raise MachineLacksError("no network", "run it where PyPI can be reached")

    monkeypatch.setattr(scalings, "normal_terms", lacks)
    code, out, err = call(capfd, "scaling", "comet", "--benchmark", "workload.neuron")
    assert code == ExitCode.DONE
    assert "Amdahl" in out
    assert "warning: without Extra-P: no network" in err
    assert "--no-extra-p" in " ".join(err.split())


def test_what_extra_p_chose_is_a_law_among_others(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        scalings, "normal_terms", lambda curves, _: (NormalTerm(-0.5, 0.0),) * len(curves)
    )
    found = document(capfd, "scaling", "scaling", "comet", "--benchmark", "workload.")
    by_counts = {
        len(one["results"]): [law["law"] for law in one["laws"]] for one in found["series"]
    }
    assert "Extra-P normal form" in by_counts[5]
    assert "Extra-P normal form" not in by_counts[4]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_chart_is_drawn(capfd: pytest.CaptureFixture[str], tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"chart ü.{ending}"
    words = ("scaling", "gordon", "--benchmark", "workload.neuron", OFF, "--chart", str(path))
    assert call(capfd, *words)[0] == ExitCode.DONE
    head = path.read_bytes()[:8]
    assert head.startswith(b"<svg" if ending == "svg" else b"\x89PNG")


def test_a_chart_that_cannot_be_drawn_says_why(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("scaling", "gordon", "--benchmark", "workload.raxml", OFF, "--chart")
    code, _, err = call(capfd, *words, str(tmp_path / "chart.pdf"))
    assert code == ExitCode.WRONG_USAGE
    assert ".png" in err
    code, _, err = call(capfd, *words, str(tmp_path / "missing" / "chart.svg"))
    assert code == ExitCode.MACHINE_LACKS
    assert "cannot write" in err
