"""Each command as a person or a program meets it: words, documents, exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.cli.output import print_error, warn
from machmeter.cli.schemas import schema_of
from machmeter.model.errors import ExitCode, MachmeterError
from machmeter.model.results.run import Precision
from machmeter.store import files as stored_files
from machmeter.store.run_folder import RunFolder
from machmeter.studies.select import STUDIES
from tests.support.cli_calls import call, document
from tests.support.fake_launcher import FakeLauncher, crash, new_folder, run_to_end
from tests.support.made_up.ab_runs import ASKED, measured, two_sided
from tests.support.paths import DATA

pytestmark = pytest.mark.usefixtures("home")


def test_list_says_everything_of_every_benchmark(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "list", "list")
    _, out, _ = call(capfd, "list", "benchmarks")
    assert not any(line.endswith(" ") for line in out.splitlines())
    assert max(map(len, out.splitlines())) <= 100
    flowing = " ".join(out.split())
    for benchmark in found["benchmarks"]:
        for word in ("name", "title"):
            assert benchmark[word] in out
        for metric in benchmark["metrics"]:
            assert metric["name"] in out
            assert metric["direction"] in flowing
            assert metric["unit"]["name"] in flowing
        for parameter in benchmark["parameters"]:
            assert parameter["name"] in out
    assert [study["name"] for study in found["studies"]] == [study.name for study in STUDIES]


def test_list_alone_has_a_line_for_each(capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capfd, "list")
    lines = out.splitlines()
    # Beside applications, machines and headings.
    assert len(lines) < len(STUDIES) + len(BENCHMARKS) + 120
    assert not any(line.endswith(" ") for line in lines)
    for one in (*STUDIES, *BENCHMARKS):
        assert any(line.split()[:1] == [one.name] for line in lines)


def test_list_of_a_name_is_of_that_alone(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "list", "list", "memory.stream")
    assert [one["name"] for one in found["benchmarks"]] == ["memory.stream"]
    assert found["studies"] == found["published"] == []
    group = document(capfd, "list", "list", "memory")["benchmarks"]
    assert {one["name"].partition(".")[0] for one in group} == {"memory"}
    _, out, _ = call(capfd, "list", "edison-network")
    assert re.search(r"network\.collective \(\d+ settings\)", out)


def test_list_of_proxies_says_what_each_stands_for(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "list", "list", "proxies")["proxies"]
    assert found
    assert {one["standing"] for one in found} == {None}
    _, out, _ = call(capfd, "list", "proxies")
    flowing = " ".join(out.split())
    assert all(one["stands_for"] in flowing for one in found)
    assert document(capfd, "list", "list", "memory")["proxies"] == []


def test_list_of_one_section_leaves_the_others_empty(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    assert document(capfd, "list", "list", "studies")["benchmarks"] == []
    found = document(capfd, "list", "list", "machines")
    assert found["studies"] == []
    (machine,) = found["machines"]
    assert (machine["name"], machine["runs"]) == ("made-up", 1)


def test_runs_without_any_run_say_how_to_make_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert document(capfd, "runs", "runs") == {"runs": []}
    code, out, _ = call(capfd, "runs")
    assert code == ExitCode.DONE
    assert "machmeter run" in out


def test_runs_are_listed_with_and_without_index(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    (taken_in,) = document(capfd, "runs", "runs")["runs"]
    assert taken_in["estimates"] > 0
    assert document(capfd, "store-rebuild", "store", "rebuild")["runs"] == 1
    (run,) = document(capfd, "runs", "runs")["runs"]
    assert run == taken_in
    assert "a-run" in call(capfd, "runs")[1]
    assert document(capfd, "runs", "runs", "--machine", "other") == {"runs": []}


def test_runs_say_their_flags_and_what_they_were_measured_against(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    measured(two_sided(home / "runs" / "two", replace(ASKED, flags=("-O2", "-g"))))
    (run,) = document(capfd, "runs", "runs")["runs"]
    assert (run["flags"], run["against"]) == ("-O2 -g", "an-old-run")
    assert "A/B" in " ".join(call(capfd, "runs")[1].split())


def test_runs_of_one_benchmark_are_told_apart_by_their_options(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    chosen = replace(ASKED, settings=("size=8,1KiB",), precision=Precision(half_width=0.1))
    measured(two_sided(home / "runs" / "two", chosen))
    (run,) = document(capfd, "runs", "runs")["runs"]
    assert run["options"].startswith("--set size=8,1KiB --precision 10%")
    assert "--set size=8,1KiB --precision 10%" in " ".join(call(capfd, "runs")[1].split())


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


def test_charts_are_written_as_png_and_svg(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    folder = tmp_path / "figures"
    found = document(capfd, "report", "report", "last", "--charts", str(folder))
    files = [Path(chart["path"]) for chart in found["charts"]]
    assert {file.suffix for file in files} == {".png", ".svg"}
    assert sorted(folder.iterdir()) == sorted(files)
    for file in files:
        begin = b"<svg" if file.suffix == ".svg" else b"\x89PNG"
        assert file.read_bytes().startswith(begin)
    assert (one_run.path / "report.html").is_file()


def test_a_report_on_a_full_disk_is_words_with_a_remedy(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    monkeypatch.setattr(stored_files, "open_new", lambda *_: full.open("wb"))
    code, _, err = call(capfd, "report")
    assert code == ExitCode.MACHINE_LACKS
    assert "the disk is full" in err
    assert "remedy" in err
    assert not (one_run.path / "report.html").exists()


def test_a_current_folder_that_is_gone_is_words_with_a_remedy(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    code, _, err = call(capfd, "explore", "--", "/bin/true")
    assert code == ExitCode.MACHINE_LACKS
    assert "the current folder is gone" in err


@pytest.mark.parametrize(
    ("error", "named"), [(MemoryError(), "memory"), (ImportError("libx.so: no room"), "libx.so")]
)
def test_too_little_memory_is_words_with_a_remedy(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    named: str,
) -> None:
    def fails(_: str) -> None:
        raise error

    monkeypatch.setattr("machmeter.cli.parser.parser", fails)
    code, _, err = call(capfd, "list")
    assert code == ExitCode.MACHINE_LACKS
    assert named in err
    assert "ulimit -v" in err


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
    found = document(capfd, "error", "export")
    assert found["exit_code"] == ExitCode.WRONG_USAGE
    assert "-o FILE" in found["remedy"]
    assert "--format json" in found["remedy"]


def test_what_one_launch_cannot_give_is_null(capfd: pytest.CaptureFixture[str], home: Path) -> None:
    once = Precision(least_launches=1, most_launches=1, budget_seconds=1000.0)
    run_to_end(new_folder(home / "runs" / "a-run", precision=once), FakeLauncher(), once)
    found = document(capfd, "show", "show")
    assert found["estimates"]
    assert all(one["high"] is one["precision"] is None for one in found["estimates"])
    code, out, _ = call(capfd, "show")
    assert code == ExitCode.DONE
    assert not re.search(r"\d{20}", out)
    assert call(capfd, "report")[0] == ExitCode.DONE


def test_names_in_foreign_runs_do_not_steer_the_terminal(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    header = one_run.path / "run.json"
    header.write_text(header.read_text().replace('"made-up"', '"\\u001b[2Jmade\\u0007-up"'))
    for words in (("runs",), ("list", "machines"), ("show",)):
        _, out, err = call(capfd, *words)
        assert "made-up" in out
        assert not {"\x1b", "\x07"} & set(out + err)
    print_error(MachmeterError("a\x1b[2J", "b\x1b[2J", "c\x1b[2J\nd"), as_json=False)
    warn(MachmeterError("a\x1b[2J", "b\x1b[2J"))
    told = capfd.readouterr().err
    assert "\x1b" not in told
    assert "c[2J\nd\n" in told


def test_rebuilding_takes_runs_from_elsewhere_and_remembers_them(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "else where"
    folder = run_to_end(new_folder(elsewhere / "x"), FakeLauncher(crash))
    header = folder.path / "run.json"
    header.write_text(header.read_text().replace("a-run", "b-run"))
    found = document(capfd, "store-rebuild", "store", "rebuild", "--from", str(elsewhere))
    assert (found["runs"], found["problems"]) == (2, [])
    ids = [run["id"] for run in document(capfd, "runs", "runs")["runs"]]
    assert ids == ["a-run", "b-run"]
    assert document(capfd, "show", "show", "b-run")["header"]["id"] == "b-run"


def test_a_dry_run_prints_the_plan_and_measures_nothing(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    # With a last cache of hundreds of MiB, as this machine may have, a minute would be refused.
    small = ("--hwloc-xml", str(DATA / "hwloc" / "siblings_numbered_last.xml"))
    found = document(capfd, "run-dry-run", "run", "memory", "--dry-run", "--budget", "60s", *small)
    plan = found["plan"]
    assert plan["precision"]["budget_seconds"] == 60
    assert plan["specs"]
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
    _, counts, *lines = out.splitlines()
    assert counts.startswith(f"{len(lacking)} lacking, ")
    assert any(line.startswith("         remedy: ") for line in lines)
    severities = {one["severity"] for one in found["diagnoses"]}
    assert {line[:8].rstrip() for line in lines} <= {"", *severities}
    assert not any(line.endswith(" ") for line in lines)
