"""The description that `apps new` begins."""

from __future__ import annotations

import re

from machmeter.apps.new import description_text
from machmeter.apps.read import description_in

CHECKSUM = "a" * 64


def test_it_is_a_description_of_the_command_and_its_input_files() -> None:
    text = description_text("lj", ("lmp", "-in", 'in "x".lj'), {"in.lj": CHECKSUM})
    described = description_in(text.encode(), "lj.toml")
    assert (described.name, described.command) == ("lj", ("lmp", "-in", 'in "x".lj'))
    assert [(one.path, one.sha256) for one in described.inputs] == [("in.lj", CHECKSUM)]
    assert described.figures == described.checks == described.echoes == ()


def test_its_examples_are_valid_without_the_number_sign() -> None:
    text = description_text("lj", ("lmp",), {"in.lj": CHECKSUM})
    used = re.sub(r"^# (?=\[\[|\w+ = )", "", text, flags=re.M)
    described = description_in(used.encode(), "lj.toml")
    assert len(described.figures) == len(described.checks) == len(described.echoes) == 1
    assert len(described.inputs) == 1
    assert described.thread_arguments == ("-t", "{threads}")
