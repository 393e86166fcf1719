"""The rules that keep the house in order: small folders, one name for one thing."""

from __future__ import annotations

import ast
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.reference import REFERENCE
from tests.support.paths import ROOT

MOST_FILES = 15
LONG_FILE = 500
# Files longer than that, each with its reason.
LONG: dict[str, str] = {"tools/modern_machines.py": "most of it are the parts of 67 machines"}

# Files that one file of their room alone imports and that no test names, each with its reason.
WITH_ONE_USER = {
    "a rule a file": (
        "analysis.rules.switch",
        "analysis.rules.threshold",
        "analysis.rules.trends",
        "analysis.rules.waves",
    ),
    "a launcher a file": ("launch.launchers.remote_shell",),
    "a subject of checks a file": (
        "machine.diagnosis.libraries",
        "machine.diagnosis.system",
        "machine.diagnosis.tools",
    ),
    "questions as data": (
        "studies.edison.network_questions",
        "studies.edison.overlap_questions",
        "studies.louhi.gromacs_questions",
        "studies.louhi.network_questions",
        "studies.scalemp.memory_questions",
        "studies.scalemp.thread_questions",
    ),
    "what the names and formats of a tool mean, as data": (
        "importing.imb.meaning",
        "importing.osu.meaning",
        "importing.osu.workloads",
        "importing.programs",
        "machine.topology.hwloc_kinds",
    ),
    "an idea that its user needs one function of": (
        "layout.progress",
        "report.pages.machine_claims",
    ),
}


def tracked(*folders: str) -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return (Path(line) for line in listed.stdout.splitlines() if (ROOT / line).is_file())


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def test_no_folder_holds_more_files_than_a_person_takes_in() -> None:
    files = tracked("src", "native", "tests")
    # A run that is kept has the files that it wrote.
    counts = Counter(path.parent for path in files if path.parent.name != "launches")
    crowded = {str(folder): n for folder, n in counts.items() if n > MOST_FILES}
    assert not crowded, "divide them by idea"


def test_a_long_file_has_a_reason() -> None:
    lengths = {
        str(path): len((ROOT / path).read_text(encoding="utf-8").splitlines())
        for path in tracked("src", "native", "tests", "bench", "tools")
        if path.suffix in {".py", ".cpp", ".hpp"}
    }
    assert {path for path, n in lengths.items() if n > LONG_FILE} == set(LONG)


def test_a_public_class_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for path in tracked("src"):
        if path.suffix == ".py":
            for node in parsed(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(str(path))
    assert not {name for name, paths in places.items() if len(paths) > 1}


def imported_modules(path: Path) -> Iterator[str]:
    """The modules of machmeter that a file imports, `machmeter.` left out."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("machmeter."):
            whole = str(node.module).removeprefix("machmeter.")
            yield whole
            yield from (f"{whole}.{alias.name}" for alias in node.names)


def test_a_file_that_one_other_of_its_room_needs_has_a_reason() -> None:
    modules = {
        ".".join(path.relative_to("src/machmeter").with_suffix("").parts): path
        for path in tracked("src/machmeter")
        if path.suffix == ".py" and path.name != "__init__.py"
    }
    users = defaultdict(set)
    for name, path in modules.items():
        for used in modules.keys() & set(imported_modules(path)):
            users[used].add(name)
    room_of = {name: name.rpartition(".")[0] for name in modules}
    tests = (path for path in tracked("tests") if path.suffix == ".py")
    named_in_tests = {name for path in tests for name in imported_modules(path)}
    alone = {
        name
        for name, by in users.items()
        if len(by) == 1 and room_of[name] == room_of[min(by)] and name not in named_in_tests
    }
    assert alone == {name for names in WITH_ONE_USER.values() for name in names}


def test_every_room_says_what_it_is_for() -> None:
    silent = [
        str(path)
        for path in tracked("src")
        if path.name == "__init__.py" and not ast.get_docstring(parsed(path))
    ]
    assert not silent


def test_tests_mirror_the_rooms() -> None:
    rooms = {path.parent.relative_to("src/machmeter") for path in tracked("src/machmeter")}
    mirrored = {path.parent.relative_to("tests/unit") for path in tracked("tests/unit")}
    assert (
        not mirrored
        - rooms
        - {Path("bench"), Path("bench/proxies"), Path("project"), Path("published/claims")}
    )


# Declarations, questions, and data about published results and tools.
MAY_NAME_BENCHMARKS = ("benchmarks", "studies", "published", "importing")


def test_nothing_but_its_declaration_has_to_know_a_benchmark() -> None:
    names = {benchmark.name for benchmark in (*BENCHMARKS, REFERENCE)}
    named = [
        f"{path}:{node.lineno}: {node.value}"
        for path in tracked("src/machmeter")
        if path.suffix == ".py" and path.parts[2] not in MAY_NAME_BENCHMARKS
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert not named, "\n".join(named)
