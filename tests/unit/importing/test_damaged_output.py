"""Output of other tools, damaged at random: read, or refused in words."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from machmeter.importing.machine import import_files, machine_of_file
from machmeter.model.errors import MachmeterError
from tests.support.paths import DATA

OUTPUTS = sorted(path for path in (DATA / "importing").glob("*/*") if path.is_file())
WORDS = ("²", "٣", "-1", "nan", "inf", "1e999", "0x10", "1,5", "9" * 30, "", "#", "{", "null", "é")
CHARACTERS = '²9-.eE \t:"{}[],x\0\x1b'
DAMAGED = 200


def damaged(text: str, chance: random.Random) -> str:
    """A line removed, repeated, cut off, with words left out, or a word or character replaced."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    line = lines[at]
    match chance.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[chance.randrange(len(lines))])
        case 2:
            lines[at] = line[: chance.randrange(len(line) + 1)]
        case 3:
            lines[at] = " ".join(word for word in line.split() if chance.random() < 0.8)
        case 4:
            words = line.split(" ")
            words[chance.randrange(len(words))] = chance.choice(WORDS)
            lines[at] = " ".join(words)
        case _:
            place = chance.randrange(len(line) + 1)
            lines[at] = line[:place] + chance.choice(CHARACTERS) + line[place + 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda path: path.name)
def test_damaged_output_is_read_or_refused_in_words(output: Path, tmp_path: Path) -> None:
    chance, path, whole = random.Random(output.name), tmp_path / output.name, output.read_text()
    read = 0
    for _ in range(DAMAGED):
        text = whole
        for _ in range(chance.choice((1, 1, 2, 5))):
            text = damaged(text, chance)
        path.write_text(text)
        with suppress(MachmeterError):
            machine_of_file(import_files([path])[0], path)
            read += 1
    assert read
