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

BLOCK = re.compile(r"^\*\*\d\. [^`]*`(?P<path>[^`]+)`:\n\n```\w+\n(?P<text>.*?)^```", re.M | re.S)
# What the program of one process needs, of which the cache has the objects.
NATIVE = ("core", "main", "reference", "CMakeLists.txt")
SIZE = 16384
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


def broken(kernel: str) -> str:
    """The same kernel by another name, which leaves every second word as it was."""
    right, wrong = "words[i] += 1;", "words[i] += i % 2;"
    assert right in kernel
    return kernel.replace(right, wrong).replace("memory.increment", "memory.broken")


def declared_in(source: str, declaration: str) -> str:
    """`source` with the declaration, whose last line replaces the list of benchmarks there, and
    one for the broken kernel."""
    benchmark, end, names = declaration.rpartition("\nMEMORY = ")
    before, found, after = source.partition(end)
    assert found
    assert after.count("\n") == 1, "the list is not the last of its file"
    other = benchmark.replace("memory.increment", "memory.broken").replace("INCREMENT", "BROKEN")
    return f"{before}\n{benchmark}{other}{end}{names.replace('INCREMENT', 'INCREMENT, BROKEN')}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with the example, and with one that is wrong."""
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
    (tree / kernel.path).with_name("broken.cpp").write_text(broken(kernel.text))
    changed = tree / declaration.path
    changed.write_text(declared_in(changed.read_text(), declaration.text))
    return tree


@pytest.fixture(scope="module")
def run(tree: Path, cache_for_runs: Path) -> tuple[Any, str]:
    """What `show --json` gives for a run of both, and its page. Nothing is timed in earnest."""
    extra = {"PYTHONPATH": str(tree / "src")}
    command = MachmeterCommand(cache_for_runs, tree.parent / "data", extra)
    folder = tree.parent / "run"
    done = command.run(
        *("run", "memory.increment", "memory.broken", "--set", f"size={SIZE}"),
        *("--pages", "4KiB", "--min-launches", "2", "--max-launches", "2", "--output", folder),
        seconds=600,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    shown = json.loads(command.run("show", folder, "--json").stdout)
    return shown, (folder / "report.html").read_text(encoding="utf-8")


def dropped(shown: Any, benchmark: str) -> list[list[str]]:
    """Why points are not used, of each accepted launch of a benchmark."""
    return [
        list(one["dropped_points"].values())
        for one in shown["outcomes"]
        if one["spec"].startswith(benchmark) and one["verdict"] == "accepted"
    ]


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


def test_its_result_is_shown(run: tuple[Any, str]) -> None:
    shown, _ = run
    assert dropped(shown, "memory.increment") == [[], []]
    points = [(one["point"]["benchmark"], one["metric"]) for one in shown["estimates"]]
    assert points == [("memory.increment", "sweep")]
    assert shown["estimates"][0]["point"]["parameters"] == [["size", SIZE]]
    assert shown["estimates"][0]["value"] > 0


def test_it_is_on_the_page(run: tuple[Any, str]) -> None:
    _, page = run
    assert "Increment of every word" in page
    assert "Increment, 4 KiB pages" in page


def test_its_check_sees_a_kernel_that_is_wrong(run: tuple[Any, str]) -> None:
    shown, _ = run
    failed = "the kernel's own check failed: every word grew by one in every sweep"
    assert dropped(shown, "memory.broken") == [[failed], [failed]]
