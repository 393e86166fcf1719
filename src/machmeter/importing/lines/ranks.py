"""The ranks that Open MPI puts before their lines: `[1,0]<stdout>:`, with --tag-output."""

from __future__ import annotations

import re
from collections.abc import Iterable

_TAG = re.compile(r"\s{0,8}\[(?:[^\s\[\]@]{1,100}@)?\d{1,10},(\d{1,7})\]<std(?:out|err)>:")


def ranks_of(lines: Iterable[str]) -> dict[int, int]:
    """The rank of each line, from 1, that such a tag stands before."""
    return {
        number: int(found.group(1))
        for number, line in enumerate(lines, start=1)
        if (found := _TAG.match(line))
    }
