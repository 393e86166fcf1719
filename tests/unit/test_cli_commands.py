"""The commands as a person or a program meets them: words, documents, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from fake_launcher import FakeLauncher, crash, new_folder, run_to_end

from machmeter.cli.completion import complete_run, complete_what
from machmeter.cli.main import main
from machmeter.cli.schemas import DOCUMENTS, schema_of
from machmeter.model.errors import ExitCode
from machmeter.store.run_folder import RunFolder

COMMANDS = (
    ["run"],
    ["list"],
    ["runs"],
    ["show"],
    ["report"],
    ["export"],
    ["doctor"],
    ["schema"],
    ["store"],
    ["store", "rebuild"],
)
PUBLISHED = Path(__file__).parents[2] / "docs" / "schema"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test, with a space and an umlaut in its name."""
    path = tmp_path / "data ü"
    monkeypatch.setenv("MACHMETER_DATA", str(path))
    monkeypatch.setenv("MACHMETER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    return path


@pytest.fixture
def one_run(home: Path) -> RunFolder:
    return run_to_end(new_folder(home / "runs" / "a-run"), FakeLauncher())


def call(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    printed = capfd.readouterr()
    assert "Traceback" not in printed.err
    return int(ended.value.code or 0), printed.out, printed.err


def document(capfd: pytest.CaptureFixture[str], name: str, *words: str) -> dict[str, object]:
    code, out, _ = call(capfd, *words, "--json")
    found = json.loads(out)
    jsonschema.validate(found, schema_of(name))
    assert code == found.get("exit_code", 0)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("command", [[], *COMMANDS], ids=" ".join)
def test_help_fits_its_columns_and_gives_examples(
    capfd: pytest.CaptureFixture[str], command: list[str]
) -> None:
    code, out, _ = call(capfd, *command, "--help")
    assert code == ExitCode.DONE
    assert max(map(len, out.splitlines())) <= 100
    if command not in ([], ["store"]):
        assert "--json" in out
        examples = [line.strip() for line in out.splitlines() if "  machmeter " in line]
        assert any(line.startswith(" ".join(["machmeter", *command])) for line in examples)


def test_no_words_show_the_help_as_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capfd)
    assert code == ExitCode.WRONG_USAGE
    assert "Commands" in out + err


def test_the_version_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capfd, "--version")
    assert code == ExitCode.DONE
    assert out.startswith("machmeter 0.")


@pytest.mark.parametrize(
    "words",
    [
        ["--nonsense"],
        ["nonsense"],
        ["run", "--nonsense"],
        ["run", "nonsense"],
        ["run", "--least", "many"],
        ["run", "--threads", "none"],
        ["run", "--report", "/no such folder/page.html"],
        ["run", "--resume", "nonsense"],
        ["list", "nonsense"],
        ["show", "nonsense"],
        ["show", ""],
        ["report", "nonsense"],
        ["export", "nonsense"],
        ["export", "--format", "xls"],
        ["schema", "nonsense"],
        ["store", "rebuild", "--from", "/no such folder"],
    ],
    ids=" ".join,
)
def test_bad_input_ends_with_2_and_a_remedy(
    capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    code, out, err = call(capfd, *words)
    assert code == ExitCode.WRONG_USAGE
    assert out == ""
    assert err.startswith("machmeter: ")
    found = document(capfd, "error", *words)
    assert found["exit_code"] == ExitCode.WRONG_USAGE


def test_a_mistake_of_ours_is_words_and_no_traceback(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_section: str) -> None:
        raise KeyError("made up")

    monkeypatch.setattr("machmeter.cli.listing.known_things", fail)
    code, _, err = call(capfd, "list")
    assert code == ExitCode.SOMETHING_FAILED
    assert "KeyError: 'made up'" in err
    assert "remedy" in err


def test_list_says_everything_of_every_benchmark(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "list", "list")
    _, out, _ = call(capfd, "list")
    assert max(map(len, out.splitlines())) <= 100
    flowing = " ".join(out.split())
    for benchmark in found["benchmarks"]:  # type: ignore[attr-defined]
        for word in ("name", "title"):
            assert benchmark[word] in out
        for metric in benchmark["metrics"]:
            assert metric["name"] in out
            assert metric["direction"] in flowing
            assert metric["unit"]["name"] in flowing
        for parameter in benchmark["parameters"]:
            assert parameter["name"] in out
    assert [study["name"] for study in found["studies"]] == ["quick"]  # type: ignore[attr-defined]


def test_list_of_one_section_leaves_the_others_empty(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    assert document(capfd, "list", "list", "studies")["benchmarks"] == []
    found = document(capfd, "list", "list", "machines")
    assert found["studies"] == []
    (machine,) = found["machines"]  # type: ignore[misc]
    assert (machine["name"], machine["runs"]) == ("made-up", 1)  # type: ignore[index]


def test_runs_without_any_run_say_how_to_make_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert document(capfd, "runs", "runs") == {"runs": []}
    code, out, _ = call(capfd, "runs")
    assert code == ExitCode.DONE
    assert "machmeter run" in out


def test_runs_are_listed_with_and_without_index(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    assert document(capfd, "runs", "runs")["runs"][0]["estimates"] == 0  # type: ignore[index]
    assert document(capfd, "store-rebuild", "store", "rebuild")["runs"] == 1
    (run,) = document(capfd, "runs", "runs")["runs"]  # type: ignore[misc]
    assert run["estimates"] > 0  # type: ignore[index]
    assert "a-run" in call(capfd, "runs")[1]
    assert document(capfd, "runs", "runs", "--machine", "other") == {"runs": []}


def test_a_damaged_index_is_a_warning_that_names_its_remedy(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, home: Path
) -> None:
    (home / "index.sqlite").write_bytes(b"rubbish" * 1000)
    code, out, err = call(capfd, "runs")
    assert code == ExitCode.DONE
    assert "a-run" in out
    assert "machmeter store rebuild" in err
    assert call(capfd, "store", "rebuild")[0] == ExitCode.DONE
    assert call(capfd, "runs")[2] == ""


@pytest.mark.parametrize("name", ["last", "a-run", "a-r"])
def test_show_prints_the_summary_of_the_run_that_is_meant(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, name: str
) -> None:
    code, out, _ = call(capfd, "show", name)
    assert code == ExitCode.DONE
    assert "a-run" in out
    assert "Memory latency" in out
    assert document(capfd, "show", "show", name)["state"] == "finished"


def test_a_run_that_died_is_shown_as_interrupted(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    state = one_run.path / "state.json"
    state.write_text(state.read_text().replace("finished", "running"))
    assert document(capfd, "show", "show")["state"] == "interrupted"
    assert "interrupted" in call(capfd, "runs")[1]


def test_a_run_without_a_plan_says_how_to_go_on(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    new_folder(home / "runs" / "a-run")
    for command in ("show", "report", "export"):
        code, _, err = call(capfd, command)
        assert code == ExitCode.SOMETHING_FAILED
        assert "--resume" in err


def test_the_report_is_written_where_asked(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    target = tmp_path / "a page ü.html"
    found = document(capfd, "report", "report", "last", "-o", str(target))
    assert found["path"] == str(target)
    assert found["size_bytes"] == target.stat().st_size
    assert target.read_text().startswith("<!")
    assert call(capfd, "report")[0] == ExitCode.DONE
    assert (one_run.path / "report.html").is_file()


def test_a_report_on_a_full_disk_is_words_with_a_remedy(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (one_run.path / f".report.html.{os.getpid()}.partial").symlink_to("/dev/full")
    code, _, err = call(capfd, "report")
    assert code == ExitCode.MACHINE_LACKS
    assert "the disk is full" in err
    assert "remedy" in err
    assert not (one_run.path / "report.html").exists()


@pytest.mark.parametrize("what", ["estimates", "samples"])
@pytest.mark.parametrize("file_format", ["csv", "json", "parquet"])
def test_exports_are_written_to_a_file(
    capfd: pytest.CaptureFixture[str],
    one_run: RunFolder,
    tmp_path: Path,
    what: str,
    file_format: str,
) -> None:
    target = tmp_path / f"out.{file_format}"
    words = ("export", "last", "--format", file_format, "--what", what, "-o", str(target))
    assert document(capfd, "export", *words)["size_bytes"] == target.stat().st_size > 100


def test_exports_go_to_standard_output(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    code, out, err = call(capfd, "export", "--format", "json")
    assert (code, err) == (ExitCode.DONE, "")
    rows = json.loads(out)
    assert {row["benchmark"] for row in rows} == {
        "memory.latency",
        "threads.sync",
        "network.latency",
    }


def test_json_about_a_file_that_is_not_there_is_wrong_usage(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    assert document(capfd, "error", "export")["exit_code"] == ExitCode.WRONG_USAGE


def test_rebuilding_takes_runs_from_elsewhere_and_remembers_them(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "else where"
    folder = run_to_end(new_folder(elsewhere / "x"), FakeLauncher(crash))
    header = folder.path / "run.json"
    header.write_text(header.read_text().replace("a-run", "b-run"))
    found = document(capfd, "store-rebuild", "store", "rebuild", "--from", str(elsewhere))
    assert (found["runs"], found["problems"]) == (2, [])
    ids = [run["id"] for run in document(capfd, "runs", "runs")["runs"]]  # type: ignore[attr-defined]
    assert ids == ["a-run", "b-run"]
    assert document(capfd, "show", "show", "b-run")["header"]["id"] == "b-run"  # type: ignore[index]


def test_a_dry_run_prints_the_plan_and_measures_nothing(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    found = document(capfd, "run-dry-run", "run", "memory", "--dry-run", "--budget", "60s")
    plan = found["plan"]
    assert plan["precision"]["budget_seconds"] == 60  # type: ignore[index]
    assert plan["specs"]  # type: ignore[index]
    code, out, _ = call(capfd, "run", "memory", "--dry-run")
    assert code == ExitCode.DONE
    assert "points" in out
    assert not home.exists()


def test_a_machine_without_a_compiler_ends_with_3(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    code, _, err = call(capfd, "run", "memory.latency", "--compiler", "no-such-compiler")
    assert code == ExitCode.MACHINE_LACKS
    assert "no-such-compiler" in err
    assert not (home / "runs").exists()


def test_doctor_names_what_lacks_with_its_remedy(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    code, out, _ = call(capfd, "doctor", "--json")
    found = json.loads(out)
    jsonschema.validate(found, schema_of("doctor"))
    lacking = [one for one in found["diagnoses"] if one["severity"] == "lacking"]
    assert code == ExitCode.MACHINE_LACKS
    assert lacking
    assert all(one["remedy"] for one in lacking)
    code, out, _ = call(capfd, "doctor")
    assert code == ExitCode.MACHINE_LACKS
    assert "remedy: " in out


def test_published_schemas_are_those_of_the_types() -> None:
    assert {path.stem for path in PUBLISHED.glob("*.json")} == set(DOCUMENTS)
    for name in DOCUMENTS:
        published = json.loads((PUBLISHED / f"{name}.json").read_text())
        assert published == schema_of(name), "`make docs` writes them"
        jsonschema.Draft202012Validator.check_schema(published)


def test_schema_prints_names_and_schemas(capfd: pytest.CaptureFixture[str]) -> None:
    assert document(capfd, "schema", "schema")["names"] == list(DOCUMENTS)
    assert call(capfd, "schema")[1].split() == list(DOCUMENTS)
    assert json.loads(call(capfd, "schema", "run")[1]) == schema_of("run")


def test_the_shell_completes_runs_and_what_can_be_measured(one_run: RunFolder) -> None:
    assert complete_run("") == ["last", "a-run"]
    assert complete_run("a") == ["a-run"]
    assert complete_what("memory") == ["memory", "memory.stream", "memory.latency"]
    assert complete_what("q") == ["quick"]


def test_a_reader_that_goes_away_is_no_error(one_run: RunFolder) -> None:
    command = [sys.executable, "-m", "machmeter", "export", "--what", "samples"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(100)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == ExitCode.DONE


def test_the_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from machmeter.cli.main import app; "
        "print([m for m in ('scipy', 'numpy', 'altair', 'vl_convert', 'jinja2', 'sqlite3') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
