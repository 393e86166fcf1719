"""Tables of STREAM whose ranks only the tags before their lines show."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.importing.lines.ranks import ranks_of
from machmeter.importing.machine import import_files
from machmeter.published.estimates import published_estimates
from tests.support.importing_data import FOLDER, read_lines

STREAM = (FOLDER / "tools/stream.txt").read_text()


def tagged(*ranks: int, before: str = "1,") -> str:
    return "".join(
        f"[{before}{rank}]<stdout>:{line}\n" for rank in ranks for line in STREAM.split("\n")
    )


@pytest.mark.parametrize("before", ["1,", "prterun-cn07-12@1,"])
def test_tags_count_the_ranks(before: str) -> None:
    results = read_lines(tagged(0, 1, 2, before=before)).results
    assert {one.layout["ranks_per_node"] for one in results} == {3}
    assert {one.parameters["rank"] for one in results} == {0, 1, 2}
    assert {one.workload.rsplit("-", 1)[0] for one in results} == {"stream-rank"}


def test_ranks_are_launches_only_of_themselves(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    starts = (((0, 1), 1), ((1, 0, 0, 1), 2), ((0, 0), 2), ((0, 1, 0, 1, 2), 1))
    for ranks, launches in starts:
        file.write_text(tagged(*ranks))
        machine, _ = import_files([file])
        assert {one.launches for one in published_estimates(machine)} == {launches}


def test_the_launch_line_knows_more_ranks_than_the_tags() -> None:
    results = read_lines(f"mpirun --tag-output -np 4 ./stream\n{tagged(0, 3)}").results
    assert {one.layout["ranks_per_node"] for one in results} == {4}
    assert {one.parameters["rank"] for one in results} == {0, 3}


@pytest.mark.parametrize(
    "tag",
    [
        "{}: ",
        " {}: ",
        "{}:",
        "[{}] ",
        "Mon Mar  3 12:00:00 2025[1,{}]<stdout>:",
        "2025-03-03T12:00:00.123456+01:00 [1,{}]<stdout>: ",
    ],
)
def test_tags_of_other_launchers_count_the_ranks_too(tag: str, tmp_path: Path) -> None:
    text = "".join(f"{tag.format(rank)}{line}\n" for rank in (0, 1) for line in STREAM.split("\n"))
    results = read_lines(text).results
    assert {one.parameters["rank"] for one in results} == {0, 1}
    assert {one.layout["ranks_per_node"] for one in results} == {2}
    file = tmp_path / "out.txt"
    file.write_text(text)
    assert {one.launches for one in published_estimates(import_files([file])[0])} == {1}


def test_what_else_stands_before_lines_is_no_rank() -> None:
    lines = ("[1,12]<stdout>:a", "[1,0]<stderr>: b", "0: c", "[0] d", "a [1,2]<stdout>:")
    assert ranks_of(lines) == {1: 12, 2: 0}
    # Tests of CTest count from 1, numbers of lines stand once, and times are none.
    assert ranks_of(("1: a", "1: b", "2: a", "2: b")) == {}
    assert ranks_of(("0: a", "1: b", "2: c")) == {}
    assert ranks_of(("00:12:00 a", "00:12:01 b", "[0]1", "[0]2")) == {}
    assert ranks_of(("0: a", "0: b", "1: a", "1: b")) == {1: 0, 2: 0, 3: 1, 4: 1}
