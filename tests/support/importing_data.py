"""Output of other tools, as they printed it on a machine of two virtual cores."""

from __future__ import annotations

from machmeter.importing.placement import UNKNOWN
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.recognize import read_foreign
from machmeter.importing.text import read_text, text_of
from tests.support.paths import DATA

FOLDER = DATA / "importing"


def read_file(name: str, place: Place = UNKNOWN) -> Reading:
    return read_foreign(read_text(FOLDER / name), place)


def read_lines(content: str, name: str = "out.txt", place: Place = UNKNOWN) -> Reading:
    return read_foreign(text_of(name, content), place)


def only(figures: tuple[ForeignResult, ...], **wanted: object) -> ForeignResult:
    found = [
        one
        for one in figures
        if all(
            getattr(one, name, None) == value or one.parameters.get(name) == value
            for name, value in wanted.items()
        )
    ]
    assert len(found) == 1, f"{len(found)} figures have {wanted}"
    return found[0]
