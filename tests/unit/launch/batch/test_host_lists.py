"""Lists of hosts as Slurm writes them."""

from __future__ import annotations

from itertools import islice

import pytest

from machmeter.launch.batch.host_lists import expanded


@pytest.mark.parametrize(
    ("name", "hosts"),
    [
        ("n1", ["n1"]),
        ("", []),
        ("n[1-3]", ["n1", "n2", "n3"]),
        ("n[008-011,120]-ib", ["n008-ib", "n009-ib", "n010-ib", "n011-ib", "n120-ib"]),
        ("r[1-2]n[09-10]", ["r1n09", "r1n10", "r2n09", "r2n10"]),
        ("n[3-1]", ["n[3-1]"]),
        ("n[1-]", ["n[1-]"]),
        ("n[]", ["n[]"]),
        ("n[1-3", ["n[1-3"]),
        ("n" + "[1]" * 1000, ["n" + "[1]" * 1000]),
    ],
)
def test_brackets_stand_for_names(name: str, hosts: list[str]) -> None:
    assert list(expanded(name)) == hosts


def test_names_are_made_one_after_another() -> None:
    assert list(islice(expanded("n[0-999999999]"), 2)) == ["n0", "n1"]
