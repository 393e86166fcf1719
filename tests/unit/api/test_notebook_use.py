"""The API as a notebook uses it: values in, frozen data and files out, nothing printed."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter import api
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.plan.study import LayoutOptions
from machmeter.store.run_folder import RunFolder
from tests.support.importing_data import FOLDER as DATA

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def silent(capfd: pytest.CaptureFixture[str]) -> None:
    """A test that printed anything has failed."""
    yield
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def run(one_run: RunFolder) -> api.Run:
    return api.load(one_run.path)


def test_a_run_is_loaded_by_any_of_its_names(one_run: RunFolder) -> None:
    for name in ("last", "a-run", "a-", one_run.path, str(one_run.path)):
        assert api.load(name).result.header.id == "a-run"
    loaded = api.load()
    assert api.load(loaded) is loaded
    assert [summary.id for summary in api.runs()] == ["a-run"]
    assert api.runs("another") == ()
    with pytest.raises(UsageError, match="there is no run"):
        api.load("unheard-of")


def test_values_of_parameters_are_written_as_on_the_command_line() -> None:
    by_values = api.request("memory.latency", settings={"size": [4096, 2**20]})
    by_text = api.request("memory.latency", settings={"size": "4KiB,1MiB"})
    assert by_values.settings == ("size=4096,1048576",)
    assert replace(by_values, settings=by_text.settings) == by_text
    (experiment,) = by_values.study.experiments
    assert experiment.parameters["size"] == (4096, 2**20)
    assert api.request("memory.latency", settings={"size": 4096}).study != by_values.study


@pytest.mark.parametrize(
    "wrong",
    [
        {"precision": 0.0},
        {"precision": 0.9},
        {"budget_seconds": 0.1},
        {"min_launches": 1},
        {"min_launches": 5, "max_launches": 4},
        {"layout": LayoutOptions(smt=0)},
        {"layout": LayoutOptions(reserved_cores=-1)},
        {"settings": {"no-such-parameter": 1}},
        {"flags": "-O2;id"},
        {"compiler": "\udcff"},
    ],
    ids=str,
)
def test_a_request_without_meaning_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        api.request("memory.latency", **wrong)


def test_a_plan_launches_nothing(home: Path) -> None:
    planned = api.plan(api.request("memory.latency", settings={"size": 4096}, budget_seconds=30))
    assert planned.launches_at_least >= 10
    assert 0 < planned.expected_seconds <= 30
    assert {point.benchmark for point in planned.plan.points} == {"memory.latency"}
    assert not home.exists()


def test_rows_are_those_of_the_exported_table(run: api.Run, tmp_path: Path) -> None:
    rows = api.rows(run)
    assert len(rows) == len(run.result.estimates)
    stream = io.BytesIO()
    api.export(run, stream)
    table = list(csv.DictReader(io.StringIO(stream.getvalue().decode())))
    assert [row["metric"] for row in table] == [row["metric"] for row in rows]
    api.export(run, tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_bytes() == stream.getvalue()
    samples = api.rows(run, samples=True)
    assert len(samples) > len(rows)
    assert all(row["seconds"] > 0 for row in samples)


def test_a_run_and_its_name_are_the_same_machine(run: api.Run) -> None:
    assert api.machine(run) == api.machine("a-run") == api.machine(run.folder)
    assert api.compare(["scalemp", run]) == api.compare(["scalemp", "last"])
    assert api.machine_document(run).id == "a-run"
    assert api.scaling(run, extra_p=False).machine == "a-run"
    assert api.findings(run) == api.findings("last")


def test_pages_are_written_where_they_are_requested(run: api.Run, tmp_path: Path) -> None:
    assert api.report(run).path == run.folder / "report.html"
    compared = api.report("scalemp", run, path=tmp_path / "compared.html").path
    assert compared.read_text(encoding="utf-8").startswith("<!")
    target, charts = tmp_path / "page.html", tmp_path / "charts"
    written = api.report("gordon", "comet", path=target, charts=charts, benchmarks=["workload"])
    assert written.path == target
    assert {path.suffix for path in written.charts} == {".png", ".svg"}
    assert not written.lacks_score
    with pytest.raises(UsageError, match="is a folder"):
        api.report(run, path=tmp_path)


def test_what_goes_wrong_beside_the_result_is_a_python_warning(
    one_run: RunFolder, home: Path
) -> None:
    (home / "index.sqlite").write_bytes(b"rubbish" * 1000)
    with pytest.warns(api.MachmeterWarning, match="machmeter store rebuild"):
        assert [summary.id for summary in api.runs()] == ["a-run"]
    heard: list[MachmeterError] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        api.runs(context=api.Context(warn=heard.append))
    assert heard


def test_folders_are_those_of_the_context(one_run: RunFolder, tmp_path: Path) -> None:
    elsewhere = api.Context(data=tmp_path / "elsewhere")
    assert api.runs(context=elsewhere) == ()
    assert api.rebuild_index([one_run.path], context=elsewhere).runs == 1
    assert [summary.id for summary in api.runs(context=elsewhere)] == ["a-run"]


def test_machines_of_other_tools_are_imported_checked_and_compared(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    written = api.import_machine([DATA / "tools/stream.txt"], target, machine_id="mine", nodes=1)
    assert (written.id, written.path) == ("mine", str(target))
    (checked,) = api.check_machine_files([target]).files
    assert checked.valid
    assert checked.comparable == written.comparable
    assert api.machine(target).parts.nodes == 1
    for wrong in ({"nodes": -1}, {"cores": 10**13}, {"link": "fast"}, {"machine_id": "A b"}):
        with pytest.raises(UsageError):
            api.import_machine([DATA / "tools/stream.txt"], tmp_path / "other.toml", **wrong)


def test_an_a_b_run_needs_a_run_that_measured_something(run: api.Run) -> None:
    request = run.result.header.request
    changed = replace(request, flags=("-O2",))
    header = run.result.header
    assert api.inherit(changed, header, frozenset({"flags"})).flags == ("-O2",)
    with pytest.raises(MachmeterError):
        api.baseline(run, changed, replace(header.machine, cpu_model="another"))


@pytest.mark.parametrize("wrong", [{"threshold": 0.9}, {"confirm": 1}, {"since": "yesterday"}])
def test_a_history_without_meaning_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        api.history(**wrong)


def test_what_there_is(run: api.Run) -> None:
    assert {"memory.stream", "network.latency"} <= {one.name for one in api.benchmarks()}
    assert "quick" in {study.name for study in api.studies()}
    assert [one.name for one in api.measured_machines()] == ["made-up"]
    assert "edison" in {one.id for one in api.published_machines()}
    assert api.this_machine("named").name == "named"
