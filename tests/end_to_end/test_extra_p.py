"""Extra-P, fetched from PyPI into an environment of its own, finds the term that made a curve."""

from __future__ import annotations

import math
import os

from machmeter.build.python_tools.extra_p import is_fetched, normal_terms
from machmeter.model.results.scaling import NormalTerm
from machmeter.store.paths import cache_home

COUNTS = (2, 4, 8, 16, 32, 64)


def test_extra_p_finds_the_terms() -> None:
    cache = cache_home(os.environ)
    curves = {
        NormalTerm(0.5, 0.0): lambda n: 10 + 0.5 * n**0.5,
        NormalTerm(0.0, 1.0): lambda n: 1e-6 * (1 + math.log2(n)),
        NormalTerm(1.0, 1.0): lambda n: 3e-6 * n * math.log2(n),
        NormalTerm(-1.0, 0.0): lambda n: 0.01 + 50 / n,
        NormalTerm(0.0, 0.0): lambda n: 7.0 + 0 * n,
    }
    asked = [(COUNTS, tuple(made(n) for n in COUNTS)) for made in curves.values()]
    assert normal_terms(asked, cache) == tuple(curves)
    assert is_fetched(cache)
