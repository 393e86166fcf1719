"""The documents say what is: generated ones are up to date, commands parse, links resolve."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from machmeter import api
from machmeter.cli.options.hosts import batch_launcher, parse_hosts
from machmeter.cli.options.run_options import options_of, request_of
from machmeter.cli.parser import parser
from machmeter.cli.schemas import schema_of
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import MachmeterError
from machmeter.model.layout_fields import ALL_NODES
from tests.support.paths import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changelog.d/*.md")])
MACHMETER = parser()
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND_LINE = re.compile(r"^(?:\$ )?(machmeter(?: .*)?)$", re.MULTILINE)
COMMAND_IN_TEXT = re.compile(r"`(machmeter [^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
MAKE_TARGET = re.compile(r"\bmake ([a-z][a-z-]*)(?=[`\s]*(?:#|$|`))", re.MULTILINE)


def commands_of(text: str) -> list[str]:
    """Every command line of machmeter in a document: in blocks of code, and in its sentences."""
    whole = [block.replace("\\\n", " ") for block in FENCE.findall(text)]
    blocks = [line for block in whole for line in COMMAND_LINE.findall(block)]
    return [*blocks, *COMMAND_IN_TEXT.findall(FENCE.sub("", text))]


def words_of(command: str) -> list[str]:
    """The arguments of a command line, up to a comment, a pipe or a redirection."""
    words = shlex.split(command, comments=True)[1:]
    ends = [i for i, word in enumerate(words) if word in ("|", ">", "&&")]
    return words[: ends[0]] if ends else words


def parse(words: list[str]) -> None:
    """Parse a command line as the program does, without doing what it asks. Raises on a mistake."""
    command: Any = MACHMETER
    try:
        context = command.make_context("machmeter", list(words))
    except typer.Exit:
        return
    while hasattr(command, "resolve_command"):
        # The parser keeps the subcommand's words apart under a name that is not public.
        rest = [*getattr(context, "_protected_args", []), *context.args]
        if not rest:
            return
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    if context.info_name == "run":
        check_run(context.params)
    if context.info_name == "schema" and context.params["name"]:
        schema_of(context.params["name"])


def check_run(params: dict[str, Any]) -> None:
    """What the options of `run` name exists: studies, benchmarks, parameters, values."""
    of_job = batch_launcher(params["hosts"])
    names = ("n1", "n2") if of_job else parse_hosts(params["hosts"])
    # How many that are is asked of Slurm.
    if params["submit"] and params["nodes"] == ALL_NODES:
        params = {**params, "nodes": "1"}
    request_of(options_of(params, Hosts(names, params["remote_shell"])))


def anchors_of(text: str) -> set[str]:
    """The anchors that GitHub and GitLab give the headings of a document."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in plain}


def all_commands() -> list[Any]:
    return [
        pytest.param(command, id=f"{path.name}: {command}")
        for path in DOCUMENTS
        for command in dict.fromkeys(commands_of(path.read_text(encoding="utf-8")))
    ]


def test_generated_documents_are_up_to_date(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    subprocess.run([sys.executable, ROOT / "tools" / "write_docs.py", docs], check=True)
    made = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path.relative_to(ROOT) for path in (ROOT / "docs" / "schema").glob("*")}
    names = ("api.md", "applications.md", "benchmarks.md", "glossary.md", "published-claims.md")
    written = {Path("docs", name) for name in (*names, "examples/first_steps.ipynb")}
    packaged = Path("src", "machmeter", "published", "machines.json")
    assert kept | written | {Path("CONTRIBUTING.md"), packaged} == made
    stale = [
        str(path)
        for path in sorted(made)
        if (tmp_path / path).read_bytes() != (ROOT / path).read_bytes()
    ]
    assert not stale, "run `make docs`"


def test_examples_of_the_api_give_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = doctest.testmod(api)
    assert ran.attempted == 7
    assert ran.failed == 0


def test_every_public_name_of_the_api_is_described() -> None:
    headings = re.findall(r"^### (\w+)$", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
    aliases = {"MachineName", "RunName"}
    assert set(headings) | aliases == set(api.__all__)
    for name in set(api.__all__) - aliases:
        assert getattr(api, name).__doc__


def test_readme_guide_and_help_begin_with_the_same_three_commands() -> None:
    documents = (ROOT / "README.md", ROOT / "docs" / "guide.md")
    begun = [commands_of(file.read_text(encoding="utf-8").split("\n## ")[0]) for file in documents]
    assert begun[0] == begun[1]
    assert [command.split()[1] for command in begun[0]] == ["run", "explore", "compare"]
    shown = re.findall(r"\? +(machmeter .*)", MACHMETER.help)
    assert shown == begun[0]


@pytest.mark.parametrize("command", all_commands())
def test_commands_in_documents_parse(command: str) -> None:
    parse(words_of(command))


def test_the_guide_and_the_readme_show_commands() -> None:
    assert len(commands_of((ROOT / "README.md").read_text(encoding="utf-8"))) >= 5
    assert len(commands_of((ROOT / "docs" / "guide.md").read_text(encoding="utf-8"))) >= 20


@pytest.mark.parametrize(
    "command",
    [
        "machmeter rnu",
        "machmeter run --no-such-option",
        "machmeter run memory.steam",
        "machmeter run memory.stream --set kernel=quad",
        "machmeter run memory.stream --threads none",
        "machmeter export --format xlsx",
        "machmeter schema rnu",
    ],
)
def test_a_wrong_command_does_not_parse(command: str) -> None:
    # The parser's own errors have no public name.
    with pytest.raises(Exception) as error:
        parse(words_of(command))
    assert isinstance(error.value, MachmeterError) or hasattr(error.value, "format_message")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_resolve(path: Path) -> None:
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), f"{target} is not there"
        if anchor:
            assert anchor in anchors_of(file.read_text(encoding="utf-8")), f"{target}: no heading"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_make_targets_in_documents_exist(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(MAKE_TARGET.findall(path.read_text(encoding="utf-8")))
    assert named <= targets


def documented_functions() -> list[Any]:
    """The functions of the API whose docstring lists its arguments."""
    found = (getattr(api, name) for name in api.__all__)
    return [one for one in found if inspect.isfunction(one) and "Args:" in (one.__doc__ or "")]


@pytest.mark.parametrize("function", documented_functions(), ids=lambda one: one.__name__)
def test_a_function_of_the_api_documents_its_arguments(function: Any) -> None:
    _, _, after = inspect.cleandoc(function.__doc__).partition("Args:\n")
    section = re.split(r"\n\S", after)[0]
    assert re.findall(r"^ {4}\*?(\w+): ", section, re.M) == list(
        inspect.signature(function).parameters
    )
    # What is no argument continues the one above it.
    assert not re.search(r"^ {4}(?!\*?\w+: )\S", section, re.M)
