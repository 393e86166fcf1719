"""Sizes of an application: what differs from one to the other, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.apps.extract import read_output
from machmeter.apps.inputs import check_inputs, identity
from machmeter.apps.judge import output_faults
from machmeter.apps.placeholders import filled_for, with_values
from machmeter.apps.read import description_in
from machmeter.apps.sizes import at_size
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.plan.description import Description, OutputReadings
from tests.support.described import launch_of_described

SIZES = """
name = "a"
title = "A"
command = ["a", "-n", "{cells}", "-ranks", "{ranks}"]
preparations = [{ command = ["sh", "-c", "echo ${HOME} {cells} {ranks}"] }]
inputs = [{ path = "in", fill = true }, { path = "mesh", made = true }]

[[checks]]
name = "energy"
pattern = "(e)"
absolute = 0.1

[[checks]]
name = "drift"
pattern = "(d)"
reference = 0
absolute = 0.1

[[sizes]]
name = "small"
values = { cells = "20" }
seconds = 3
memory = 1000
references = { energy = -4.5 }

[sizes.sha256]
mesh = "%s"

[[sizes]]
name = "minute"
values = { cells = "50" }
seconds = 60
memory = 9000
""" % ("0" * 64)


def described(size: str = "") -> Description:
    return at_size(description_in(SIZES.encode(), "a.toml"), size)


def test_the_first_size_is_the_usual_one() -> None:
    assert described() == described("small") != described("minute")


def test_values_stand_in_arguments_inputs_and_preparations(tmp_path: Path) -> None:
    minute = described("minute")
    assert minute.seconds == 60
    words = filled_for(launch_of_described(minute, 2), minute.command)
    assert words == ("a", "-n", "50", "-ranks", "2")
    # A shell has braces of its own, and nothing is launched yet.
    assert minute.made_once[0].command[-1] == "echo ${HOME} 50 {ranks}"
    (tmp_path / "in").write_text("{cells} {rows}\n")
    (tmp_path / "mesh").write_text("")
    assert set(check_inputs(minute, tmp_path)) == {"in", "mesh"}


def test_without_values_words_are_as_they_are() -> None:
    assert with_values(("{a}", "{b}"), {}) == ("{a}", "{b}")


def test_checksums_and_references_are_those_of_the_size() -> None:
    assert [one.sha256 for one in described().inputs] == ["", "0" * 64]
    assert [one.sha256 for one in described("minute").inputs] == ["", ""]
    assert [one.reference for one in described().checks] == [-4.5, 0]
    assert [one.reference for one in described("minute").checks] == [None, 0]


def test_a_check_is_judged_at_sizes_that_have_its_reference_alone() -> None:
    read = OutputReadings({"energy": -9.0, "drift": 0.0})
    small, minute = described(), described("minute")
    assert small.not_judged == ()
    assert output_faults(launch_of_described(small), read, {})
    assert minute.not_judged == ("energy",)
    assert not output_faults(launch_of_described(minute), read, {})
    # What holds at every size is judged at each.
    wrong = OutputReadings({"energy": -9.0, "drift": 1.0})
    assert output_faults(launch_of_described(minute), wrong, {})


def test_results_of_two_sizes_are_not_of_one_input() -> None:
    assert identity(described(), {}) != identity(described("minute"), {})
    assert identity(growing(), {}) != identity(described_with(GROWING), {})


def test_a_size_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="no size 'minut'") as refused:
        described("minut")
    assert "minute" in refused.value.remedy
    with pytest.raises(UsageError, match="no size 'small'"):
        at_size(Description(name="b", title="B", command=("b",)), "small")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "minute"', 'name = "small"', "occurs more than once"),
        ('{ cells = "50" }', '{ cell = "50" }', "different values"),
        ('{ cells = "50" }', '{ cells = "50", more = "1" }', "different values"),
        ("references = { energy = -4.5 }", "references = { energie = -4.5 }", "energie"),
        ("references = { energy = -4.5 }", "", "energy needs"),
        ("references = { energy = -4.5 }", "references = { energy = nan }", "not finite"),
        ("mesh = ", "in = ", "no preparation makes in"),
        ("memory = 9000", "memory = 0", "memory"),
        ("cells", "ranks", "number of the launch"),
        ("-n", "{cell}", "no placeholder"),
    ],
)
def test_what_is_wrong_in_sizes_is_refused(old: str, new: str, words: str) -> None:
    content = SIZES.replace(old, new)
    assert content != SIZES
    with pytest.raises(MachmeterError) as refused:
        description_in(content.encode(), "a.toml")
    assert words in str(refused.value)


GROWING = (
    (
        SIZES
        + """
[[sizes]]
name = "weak"
values = { cells = "20" }
grows = "cells"
seconds = 3
memory = 1000
references = { energy = -4.5 }
"""
    )
    .replace(
        "[[checks]]",
        """[[figures]]
name = "rate"
pattern = "steps (.*)"
unit = "step/s"
better = "higher"
of_problem = true

[[figures]]
name = "time"
pattern = "time (.*)"
unit = "s"
better = "lower"
of_problem = true

[[figures]]
name = "cells"
pattern = "cells (.*)"
unit = "cell/s"
better = "higher"

[[checks]]""",
        1,
    )
    .replace('preparations = [{ command = ["sh", "-c", "echo ${HOME} {cells} {ranks}"] }]\n', "")
    .replace(', { path = "mesh", made = true }', "")
    .replace('[sizes.sha256]\nmesh = "%s"\n' % ("0" * 64), "")
)


def described_with(text: str, size: str = "") -> Description:
    return at_size(description_in(text.encode(), "a.toml"), size)


def growing() -> Description:
    return described_with(GROWING, "weak")


def test_a_size_that_grows_has_as_much_work_for_each_thread() -> None:
    for ranks, threads in ((1, 1), (2, 1), (2, 3)):
        launch = launch_of_described(growing(), ranks, threads)
        assert filled_for(launch, ["{cells}"]) == (str(20 * ranks * threads),)
    assert filled_for(launch_of_described(described(), 2, 3), ["{cells}"]) == ("20",)


def test_figures_of_the_whole_problem_count_it_as_often_as_it_is_there() -> None:
    texts = {"": "steps 10\ntime 6\ncells 50\n"}
    assert read_output(growing(), texts, 3).values == {"rate": 30, "time": 2, "cells": 50}
    assert read_output(described_with(GROWING), texts, 3).values == {
        "rate": 10,
        "time": 6,
        "cells": 50,
    }


def test_what_is_known_of_one_thread_is_judged_there_alone() -> None:
    wrong = OutputReadings({"energy": -9.0, "drift": 0.0, "rate": 1, "time": 1, "cells": 1})
    drifts = OutputReadings({"energy": -9.0, "drift": 1.0, "rate": 1, "time": 1, "cells": 1})
    assert output_faults(launch_of_described(growing(), 1), wrong, {})
    assert not output_faults(launch_of_described(growing(), 2), wrong, {})
    assert output_faults(launch_of_described(growing(), 2), drifts, {})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('grows = "cells"', 'grows = "other"', "other is not a whole number that can grow"),
        ('values = { cells = "20" }\ngrows', 'values = { cells = "2.5" }\ngrows', "cells is not a"),
        (
            "inputs = [",
            'preparations = [{ command = ["sh", "{cells}"] }]\ninputs = [',
            "a preparation that runs once uses it",
        ),
        ("reference = 0\n", "across = true\n", "check drift is equal across launches"),
    ],
)
def test_what_cannot_grow_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(MachmeterError, match=said):
        description_in(GROWING.replace(old, new).encode(), "a.toml")
