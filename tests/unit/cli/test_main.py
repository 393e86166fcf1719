"""The command as a whole: help, wrong usage, mistakes, schemas, completion, start-up."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from machmeter.cli.main import typed_words
from machmeter.cli.options.completion import complete_machine, complete_run, complete_what
from machmeter.cli.parser import COMMANDS, CommandEntry, named_command, parser
from machmeter.cli.schemas import DOCUMENTS, schema_of
from machmeter.model.errors import ExitCode
from machmeter.model.layout_fields import OptionGroup
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document

pytestmark = pytest.mark.usefixtures("home")


def commands_below(command: Any = None, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every command that takes no further one."""
    command = command or parser()
    if not hasattr(command, "commands"):
        yield words
    for name, one in getattr(command, "commands", {}).items():
        yield from commands_below(one, *words, name)


@pytest.mark.parametrize("words", [(), ("store",), ("machine",), *commands_below()], ids=" ".join)
def test_help_is_plain_and_fits_80_columns(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = call(capfd, *words, "--help")
    assert code == ExitCode.DONE
    assert max(map(len, out.splitlines())) <= 80
    assert not re.search(r"<\w+>|\b(TEXT|INTEGER|FLOAT)\b|list\[|None|x<", out)
    assert "\n\n  " in out
    if words in commands_below():
        assert "--json" in out
        begin = f"    {' '.join(['machmeter', *words])}"
        examples = [line for line in out.splitlines() if line.startswith("    machmeter ")]
        assert any(line.startswith(begin) for line in examples)


def test_the_options_of_a_run_are_grouped_and_each_is_one_line(
    capfd: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = call(capfd, "run", "--help")
    _, _, options = out.partition("\nArguments:\n")
    headings = re.findall(r"^(\S.*):$", options, re.M)
    assert headings == [group.value for group in OptionGroup]
    rows = [line for line in options.splitlines() if line.startswith(" ")]
    assert all(re.match(r"  (-|\[)", row) for row in rows), "a line is folded"
    assert "[default" not in options


@pytest.mark.parametrize("words", [*commands_below()], ids=" ".join)
def test_more_than_ten_options_are_grouped(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    _, out, _ = call(capfd, *words, "--help")
    options = re.findall(r"^  -", out, re.M)
    assert len(options) <= 10 or "\nOptions:\n" not in out


def test_no_words_show_the_help_as_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capfd)
    assert code == ExitCode.WRONG_USAGE
    assert "Commands" in out
    assert "Begin with `machmeter run`" in out
    assert not err


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
        ["run", "--min-launches", "many"],
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
    def fail() -> None:
        raise KeyError("made up")

    monkeypatch.setattr("machmeter.api.catalogue.benchmarks", fail)
    code, _, err = call(capfd, "list")
    assert code == ExitCode.SOMETHING_FAILED
    assert "KeyError: 'made up'" in err
    assert "remedy" in err


def test_schema_prints_names_and_schemas(capfd: pytest.CaptureFixture[str]) -> None:
    assert document(capfd, "schema", "schema")["names"] == list(DOCUMENTS)
    assert call(capfd, "schema")[1].split() == list(DOCUMENTS)
    assert json.loads(call(capfd, "schema", "run")[1]) == schema_of("run")


def test_the_shell_completes_runs_and_what_can_be_measured(one_run: RunFolder) -> None:
    assert complete_run("") == [("last", "the last run"), ("a-run", "run")]
    assert complete_run("a") == [("a-run", "run")]
    assert complete_what("memory")[:2] == [
        ("memory", "group of benchmarks"),
        ("memory.stream", "benchmark"),
    ]
    assert [name for name, _ in complete_what("threads.s")] == ["threads.sync", "threads.schedule"]
    assert complete_what("q") == [("quick", "study")]
    # A study and a published machine of one name: what each is stands beside it.
    assert complete_what("louhi") == [("louhi", "study")]
    assert complete_machine("louhi")[0] == ("louhi", "published machine")


def test_an_interrupt_before_the_command_began_is_told_in_words() -> None:
    """Also where it passes through an `exec` of text, as dataclasses make at imports."""
    code = """
import signal
from machmeter.cli import main, parser

signal.signal(signal.SIGINT, signal.default_int_handler)

def slow(*_):
    exec("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(20)")

parser.parser = slow
main.main(["list"])
"""
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (ExitCode.SOMETHING_FAILED, "machmeter: interrupted\n")


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


# What takes long to import, and what no help, version or completion needs.
HEAVY = "('scipy', 'numpy', 'altair', 'vl_convert', 'jinja2', 'sqlite3', 'rich')"
COMPLETION = {
    "_MACHMETER_COMPLETE": "complete_bash",
    "COMP_WORDS": "machmeter run --thr",
    "COMP_CWORD": "2",
}


@pytest.mark.parametrize(
    ("words", "environment", "also"),
    [
        (["--version"], {}, "('typer', 'msgspec')"),
        (["--help"], {}, "('machmeter.cli.commands.run', 'machmeter.benchmarks.catalogue')"),
        (["run", "--help"], {}, "('machmeter.cli.commands.show', 'machmeter.store.run_folder')"),
        (
            [],
            COMPLETION,
            "('machmeter.cli.commands.show', 'machmeter.store.run_folder', 'pydantic')",
        ),
    ],
    ids=["version", "help", "run --help", "completion"],
)
def test_what_answers_at_once_loads_nothing_heavy(
    words: list[str], environment: dict[str, str], also: str
) -> None:
    program = (
        "import atexit, sys; "
        "atexit.register(lambda: print('loaded:', "
        f"[m for m in (*{HEAVY}, *{also}) if m in sys.modules], file=sys.stderr)); "
        f"from machmeter.cli.main import main; main({words})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.stdout.strip()
    assert done.stderr.strip() == "loaded: []"


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_a_summary_is_the_first_line_of_the_help(entry: CommandEntry) -> None:
    found = parser().commands[entry.name]
    assert (found.help or "").strip().splitlines()[0] == entry.summary


def test_the_command_of_a_line_has_its_parameters_and_no_other() -> None:
    one = parser("show")
    assert len(one.commands["show"].params) == len(parser().commands["show"].params) > 1
    assert one.commands["run"].params == []
    assert one.commands.keys() == parser().commands.keys()


def test_the_command_of_a_line_is_found_also_while_it_is_typed() -> None:
    assert named_command(["--json", "show", "last"]) == "show"
    assert named_command(["shwo"]) == ""
    assert typed_words(["show"], {}) == ["show"]
    assert named_command(typed_words([], COMPLETION)) == "run"
    fish = {"_MACHMETER_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": "machmeter report la"}
    assert named_command(typed_words([], fish)) == "report"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("machmeter sho", ["show"]),
        ("machmeter --vers", ["--version"]),
        ("machmeter run --thr", ["--threads"]),
        ("machmeter run --threads 1,2 memory.str", ["memory.stream"]),
        ("machmeter run memory.stream network.lat", ["network.latency"]),
        ("machmeter run --wait p", ["passive"]),
        ("machmeter run --binding close,s", ["close,spread"]),
        ("machmeter show --format l", ["latex"]),
        ("machmeter store reb", ["rebuild"]),
        ("machmeter show machine edison-f", ["edison-full"]),
    ],
)
def test_a_shell_is_offered_what_can_follow(typed: str, offered: list[str]) -> None:
    environment = {
        "_MACHMETER_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    program = "from machmeter.cli.main import main; main([])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.stdout.split() == offered
