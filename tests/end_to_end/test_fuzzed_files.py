"""50,000 damaged files: each is read, or refused in words, within limits of time and memory.

One again: `.venv/bin/python -m tests.support.fuzzing.worker READER NUMBER`. Numbers of another
range: `.venv/bin/python -m tests.support.fuzzing.children EACH FIRST [READER...]`.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from machmeter.importing.machine import import_files
from tests.support.fuzzing.children import read_damaged
from tests.support.fuzzing.readers import READERS

pytestmark = [pytest.mark.alone, pytest.mark.full, pytest.mark.timeout(3600)]

INPUTS = 50_000
WARNING = (
    "[1731003345.18] [cn07:41022:0]  mpool.c:46  UCX  WARN  object was not returned to mpool\n"
)
LATENCY = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n8  1.00\n{}16  2.00\n"


def test_damaged_files_are_read_or_refused_in_words() -> None:
    tallies = read_damaged(-(-INPUTS // len(READERS)))
    print("\n".join(one.line for one in tallies))
    assert sum(one.inputs for one in tallies) >= INPUTS
    failed = "\n".join(one.told for one in tallies if one.failures)
    assert not failed, failed
    assert all(one.read for one in tallies)


def test_the_time_of_a_file_of_warnings_grows_with_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    seconds = []
    for mebibytes in (1, 15):
        file.write_text(LATENCY.format(WARNING * (mebibytes * 2**20 // len(WARNING))))
        begun = time.process_time()
        machine, _ = import_files([file])
        seconds.append(time.process_time() - begun)
        assert sum(len(table.figures) for table in machine.tables) == 2
    assert seconds[1] < 2.5 * 15 * seconds[0]
