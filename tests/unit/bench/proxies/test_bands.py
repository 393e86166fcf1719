"""What pw.x prints of a solve by Davidson's method."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.comparisons.proxies.bands import espresso_rate, pseudo_folders
from bench.rounds import ContenderError

PRINTED = """\
     Parallel version (MPI), running on     2 processors
     number of Kohn-Sham states=           16
     Dense  grid:    55707 G-vectors     FFT dimensions: (  48,  48,  48)
     sum_band     :      0.07s CPU      0.20s WALL (       1 calls)
     cegterg      :      1.06s CPU      2.97s WALL (       1 calls)
     fftw         :      0.83s CPU      2.38s WALL (     478 calls)
"""


def test_applications_are_half_of_the_transforms_of_the_method() -> None:
    assert espresso_rate(PRINTED, 2) == pytest.approx(((478 - 16) / 2 - 16) / 2.97)


def test_minutes_of_a_time_count() -> None:
    longer = PRINTED.replace("1.06s CPU      2.97s WALL", "1m 1.06s CPU   1m 2.97s WALL")
    assert espresso_rate(longer, 2) == pytest.approx(((478 - 16) / 2 - 16) / 62.97)


def test_pseudopotentials_of_a_source_tree_are_found(tmp_path: Path) -> None:
    for folder in ("bin", "PW/src", "pseudo"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "PW/src/pw.x").touch()
    (tmp_path / "bin/pw.x").symlink_to("../PW/src/pw.x")
    folders = pseudo_folders(tmp_path / "bin/pw.x")
    assert tmp_path / "pseudo" in folders
    assert folders[-1] == Path("/usr/share/espresso/pseudo")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("on     2", "on     1"),
        ("=           16", "=           12"),
        ("(  48,  48,  48)", "(  48,  48,  50)"),
        ("cegterg ", "regterg "),
        ("478 calls", "40 calls"),
    ],
)
def test_another_solve_is_refused(before: str, after: str) -> None:
    with pytest.raises(ContenderError):
        espresso_rate(PRINTED.replace(before, after), 2)
