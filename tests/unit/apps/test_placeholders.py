"""Placeholders in arguments: those that there are, braces, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.apps.placeholders import as_placeholders, filled, grid_of
from machmeter.model.errors import UsageError


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("-n{ranks}x{threads}", "-n2x4"),
        ("{run}/log", "r{7}/log"),
        ("{{ranks}}", "{ranks}"),
        ("{{{ranks}}}", "{2}"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_placeholders_are_filled_once(word: str, expected: str) -> None:
    # What is inserted is not looked at again.
    assert filled([word], 2, 4, "r{7}") == (expected,)


@pytest.mark.parametrize(
    "word",
    [
        "{cores}",
        "{}",
        "{0}",
        "{ranks.real}",
        "{ranks!r}",
        "{ranks:>9}",
        "{ ranks}",
        "{",
        "}",
        "a}b",
    ],
)
def test_anything_else_in_braces_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        filled([word], 1, 1, "")


@given(st.lists(st.text()), st.text())
def test_any_text_comes_back_with_its_braces_doubled(words: list[str], run: str) -> None:
    doubled = [word.replace("{", "{{").replace("}", "}}") for word in words]
    assert filled(doubled, 1, 1, run) == tuple(words)


def test_braces_of_typed_words_are_themselves() -> None:
    typed = ("awk", "{print $1}", "{threads}", "${HOME}", "{{ranks}}", "{}")
    assert filled(as_placeholders(typed), 2, 3, "1") == (
        *("awk", "{print $1}", "3", "${HOME}", "{2}", "{}"),
    )


@given(st.integers(1, 5000))
def test_a_grid_holds_all_ranks_and_is_the_nearest_to_a_square(ranks: int) -> None:
    rows, columns = grid_of(ranks)
    assert rows * columns == ranks
    assert rows <= columns
    assert not any(ranks % one == 0 for one in range(rows + 1, columns))
    assert filled(["{rows} {columns}"], ranks, 1, "") == (f"{rows} {columns}",)


def test_a_grid_is_of_descriptions_alone() -> None:
    assert filled(as_placeholders(("{{rows}}",)), 6, 1, "1") == ("{{rows}}",)
