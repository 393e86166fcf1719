"""The benchmark that CONTRIBUTING.md shows: added to a copy of the sources, compiled and run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.paths import ROOT
from tests.support.processes.machmeter_command import MachmeterCommand

pytestmark = pytest.mark.end_to_end

BLOCK = re.compile(r"^\*\*\d\. [^`]*`(?P<path>[^`]+)`:\n\n```\w+\n(?P<text>.*?)^```", re.M | re.S)
# What the program of one process needs; other benchmarks only take time to compile.
NATIVE = ("core", "main", "reference", "CMakeLists.txt")
SIZE = 16384
# The fewest launches; nothing depends on how fast the kernel is.
RUN = (
    *("run", "memory.increment", "--set", f"size={SIZE}", "--pages", "4KiB", "--flags=-O1"),
    *("--min-launches", "2", "--max-launches", "2"),
)
BIN = Path(sys.executable).parent


class Example(NamedTuple):
    """A file of the example: its path in the repository, and its text or what is added to it."""

    path: str
    text: str


def examples() -> tuple[Example, Example]:
    """The kernel and the declaration."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Add a bench")[2]
    kernel, declaration = (Example(one["path"], one["text"]) for one in BLOCK.finditer(section))
    return kernel, declaration


def declared_in(source: str, declaration: str) -> str:
    """`source` with the declaration, whose last line replaces the list of benchmarks there."""
    name = declaration.rstrip().splitlines()[-1].partition(" = ")[0]
    before, found, after = source.partition(f"\n{name} = ")
    assert found
    assert after.count("\n") == 1, f"{name} is not the last of its file"
    return f"{before}\n{declaration}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with the example."""
    tree = tmp_path_factory.mktemp("contributing") / "tree"
    no_bytecode = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src/machmeter", tree / "src/machmeter", ignore=no_bytecode)
    for name in NATIVE:
        source = ROOT / "native" / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tree / "native" / name)
    kernel, declaration = examples()
    (tree / kernel.path).parent.mkdir(exist_ok=True)
    (tree / kernel.path).write_text(kernel.text)
    changed = tree / declaration.path
    changed.write_text(declared_in(changed.read_text(), declaration.text))
    return tree


@pytest.fixture(scope="module")
def command(tree: Path) -> MachmeterCommand:
    return command_of(tree)


def command_of(tree: Path) -> MachmeterCommand:
    """The command of a copy of the sources."""
    extra = {"PYTHONPATH": str(tree / "src")}
    return MachmeterCommand(tree.parent / "cache", tree.parent / "data", extra)


@pytest.fixture(scope="module")
def run(command: MachmeterCommand) -> Path:
    """The folder of a run of the example."""
    folder = command.data.parent / "run"
    done = command.run(*RUN, "--output", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_it_is_in_the_format_of_the_project(tree: Path) -> None:
    kernel, declaration = examples()
    style = f"--style=file:{ROOT / '.clang-format'}"
    settings = ("--config", str(ROOT / "pyproject.toml"))
    for words in (
        ("clang-format", style, "--dry-run", "--Werror", kernel.path),
        ("ruff", "format", "--check", *settings, declaration.path),
        ("ruff", "check", *settings, declaration.path),
    ):
        done = subprocess.run(
            [BIN / words[0], *words[1:]], cwd=tree, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_its_result_is_shown(run: Path, command: MachmeterCommand) -> None:
    shown: Any = json.loads(command.run("show", run, "--json").stdout)
    ended = [one for one in shown["outcomes"] if one["spec"].startswith("memory.increment")]
    assert [(one["verdict"], one["reasons"]) for one in ended] == [("accepted", [])] * 2
    results = [one for one in shown["estimates"] if one["point"]["benchmark"] == "memory.increment"]
    assert [(one["metric"], one["point"]["parameters"]) for one in results] == [
        ("sweep", {"size": SIZE})
    ]
    assert results[0]["value"] > 0


def test_it_is_on_the_page(run: Path) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Increment of every word" in page
    assert "Increment, 4 KiB pages" in page


def test_its_check_sees_a_kernel_that_does_something_else(run: Path, tree: Path) -> None:
    kernel, _ = examples()
    right, wrong = "words[i] += 1;", "words[i] += i % 2;"
    assert right in kernel.text
    broken = shutil.copytree(tree, tree.parent / "broken")
    (broken / kernel.path).write_text(kernel.text.replace(right, wrong))
    done = command_of(broken).run(*RUN)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "every word grew by one in every sweep" in " ".join(done.stdout.split())
