"""Extra-P chooses the term of its normal form, in an environment of its own.

extrap asks for numpy 1.x, with whose successors it works, and for PySide6, matplotlib and more that
its modeling core does not need: it is installed without them, and borrows machmeter's numpy and
scipy. Source of the form and of how it is chosen: Calotoiu, Hoefler, Poke, Wolf, SC13; extrap's
single-parameter modeler, with negative exponents allowed, since times fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.build.python_tools.python_tool import PythonTool, run_tool, tool_folder
from machmeter.model.errors import MachmeterError
from machmeter.model.results.scaling import NormalTerm

EXTRA_P = PythonTool(
    "extrap",
    "4.2.5",
    (
        "extrap==4.2.5",
        "tqdm==4.67.1",
        "marshmallow==3.26.1",
        "packaging==25.0",
    ),
    borrowed=("numpy", "scipy"),
)
_SECONDS_AT_LEAST = 60.0
_SECONDS_PER_CURVE = 2.0

Curve = tuple[tuple[int, ...], tuple[float, ...]]


class _Model(Struct, frozen=True):
    constant: float
    coefficient: float
    exponent: float
    log_exponent: float


class _Answer(Struct, frozen=True):
    models: tuple[_Model, ...]


def normal_terms(curves: Sequence[Curve], cache: Path) -> tuple[NormalTerm, ...]:
    """The term that Extra-P chooses for each curve: counts, and a time at each, in any unit.

    Raises MachineLacksError when extrap cannot be fetched, MachmeterError when it fails.
    """
    request = msgspec.json.encode(
        {"curves": [{"counts": counts, "times": times} for counts, times in curves]}
    )
    patience = max(_SECONDS_AT_LEAST, _SECONDS_PER_CURVE * len(curves))
    answer = run_tool(EXTRA_P, cache, "extrap_models.py", request, patience)
    try:
        models = msgspec.json.decode(answer, type=_Answer).models
    except msgspec.DecodeError as error:
        raise MachmeterError(f"extrap's answer cannot be read: {error}", _REMEDY) from error
    if len(models) != len(curves):
        raise MachmeterError(
            f"extrap answered for {len(models)} curves, not for {len(curves)}", _REMEDY
        )
    return tuple(NormalTerm(model.exponent, model.log_exponent) for model in models)


def is_fetched(cache: Path) -> bool:
    """Whether extrap is in the cache already."""
    return tool_folder(EXTRA_P, cache).is_dir()


_REMEDY = "please report it"
