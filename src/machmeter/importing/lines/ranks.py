"""The ranks that launchers put before the lines that these print.

`[1,0]<stdout>:` is of Open MPI (--tag-output), maybe behind a time; `0: ` of srun -l and of poe
(-labelio), `[0] ` of Hydra and Intel MPI (-prepend-rank).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_TIME = (
    r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
)
_OF_OPEN_MPI = re.compile(
    rf"\s{{0,8}}(?:(?:{_TIME})\s{{0,2}})?"
    r"\[(?:[^\s\[\]@]{1,100}@)?\d{1,10},(\d{1,7})\]<std(?:out|err)>:"
)
# The same stands before lines that are counted, and before those of tests that are.
_PLAIN = (re.compile(r"\s{0,8}(\d{1,7}):(?!\d)"), re.compile(r"\s{0,8}\[(\d{1,7})\](?!\d)"))


def ranks_of(lines: Sequence[str]) -> dict[int, int]:
    """The rank of each line, from 1, that such a tag stands before.

    Plain numbers are ranks only where rank 0 is among them and each stands before several lines.
    """
    found = _found(_OF_OPEN_MPI, lines)
    for pattern in _PLAIN:
        numbered = _found(pattern, lines)
        counts = Counter(numbered.values())
        if 0 in counts and min(counts.values()) > 1:
            found = {**numbered, **found}
    return found


def _found(pattern: re.Pattern[str], lines: Sequence[str]) -> dict[int, int]:
    return {
        number: int(found.group(1))
        for number, line in enumerate(lines, start=1)
        if (found := pattern.match(line))
    }
