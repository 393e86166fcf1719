"""Change points by Apache Otava, which pins another NumPy and clients of clouds: it runs apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.build.python_tools.python_tool import PythonTool, run_tool
from machmeter.model.errors import MachmeterError

OTAVA = PythonTool(
    name="apache-otava",
    version="0.8.0",
    requirements=(
        "apache-otava==0.8.0",
        # What Otava's analysis itself loads, in the versions that it pins.
        "numpy==2.2.0; python_version < '3.14'",
        "numpy==2.3.5; python_version >= '3.14'",
        "scipy==1.16.3",
    ),
)

_SCRIPT = "otava_change_points.py"
_PATIENCE_SECONDS = 900.0


class _Request(Struct, frozen=True):
    series: tuple[tuple[float, ...], ...]
    window: int
    p_value: float


class _Answer(Struct, frozen=True):
    starts: tuple[tuple[int, ...], ...]


def starts_of_levels(
    series: Sequence[Sequence[float]], window: int, p_value: float, cache: Path
) -> tuple[tuple[int, ...], ...]:
    """Of each series the positions at which a new level begins, rising.

    window: values that E-divisive looks at together; p_value: the most that a change may have.
    Raises MachineLacksError when Otava can be neither found in the cache nor fetched, and
    MachmeterError when it fails.
    """
    request = _Request(tuple(tuple(one) for one in series), window, p_value)
    response = run_tool(OTAVA, cache, _SCRIPT, msgspec.json.encode(request), _PATIENCE_SECONDS)
    try:
        starts = msgspec.json.decode(response, type=_Answer).starts
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MachmeterError(
            f"{OTAVA.name} {OTAVA.version} answered what is no answer: {error}",
            "please report it",
        ) from error
    if len(starts) != len(series):
        raise MachmeterError(
            f"{OTAVA.name} answered for {len(starts)} of {len(series)} series", "please report it"
        )
    return starts
