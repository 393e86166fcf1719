"""The laws of scaling as data, and their fit to logs.

Each is a sum of terms of the count N with coefficients that are fitted. What the sum stands for is
the rate of work, the time of all workers together over the work (`N / rate`), the time, or the
logarithm of the rate. Least squares on logs: a relative error counts the same at every count.

- Amdahl: N / rate = c (1 + s (N - 1)); s: serial share. Amdahl, AFIPS SJCC 1967.
- Gustafson: rate = c (s + (1 - s) N); s: serial share. Gustafson, CACM 31 (1988).
- Universal: N / rate = c (1 + s (N - 1) + k N (N - 1)); s: contention, k: coherency.
  Gunther, CMG 1993; Guerrilla Capacity Planning, Springer 2007, chapter 4.
- Power: rate = c N^b.
- Extra-P's normal form with one term: time = c + a N^i log2(N)^j; i and j are chosen by Extra-P.
  Calotoiu, Hoefler, Poke, Wolf, SC13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from machmeter.model.results.scaling import LawName, NormalTerm, Problem

Floats = NDArray[np.float64]
_SMALLEST = 1e-300


class SumIs(StrEnum):
    """What the sum of a law's terms stands for."""

    RATE = "rate"
    WORKER_TIME = "count over rate"
    TIME = "time"
    LOG_RATE = "logarithm of the rate"


class Term(StrEnum):
    """A function of the count N."""

    ONE = "1"
    MORE = "N - 1"
    PAIRS = "N (N - 1)"
    LOG = "log N"
    NORMAL = "N^i log2(N)^j"


class Law(Struct, frozen=True):
    """A law: its terms, each with a coefficient, and what their sum is."""

    name: LawName
    """Which law."""
    terms: tuple[Term, ...]
    """In the order of the coefficients."""
    sum_is: SumIs
    """What the sum of the terms is."""
    chosen: int = 0
    """Numbers chosen from the data, other than the coefficients: exponents of a normal form."""
    term: NormalTerm = NormalTerm(0.0, 0.0)
    """Of a normal form."""

    @property
    def parameters(self) -> int:
        """How many numbers are taken from the data."""
        return len(self.terms) + self.chosen

    def basis(self, counts: Floats) -> Floats:
        """The terms at `counts`, one column a term."""
        return np.stack([_term(name, counts, self.term) for name in self.terms], axis=-1)

    def log_rate(self, counts: Floats, coefficients: Floats, problem: Problem) -> Floats:
        """The log of the rate by the law (of a COST, of the cost); NaN where it has no value."""
        total = self.basis(counts) @ coefficients
        if self.sum_is is SumIs.LOG_RATE:
            return np.asarray(total)
        with np.errstate(invalid="ignore", divide="ignore"):
            logs = np.where(total > 0, np.log(np.maximum(total, _SMALLEST)), np.nan)
        return np.asarray(self.sign(problem) * logs + self.offset(counts, problem))

    def sign(self, problem: Problem) -> float:
        """1 where the sum grows with the rate (of a COST, with the cost), -1 where it falls."""
        grows = self.sum_is is SumIs.RATE or problem is Problem.COST
        return 1.0 if grows else -1.0

    def offset(self, counts: Floats, problem: Problem) -> Floats:
        """What is to be added to the log of the sum."""
        times_count = self.sum_is is SumIs.WORKER_TIME or (
            self.sum_is is SumIs.TIME and problem is Problem.GROWING
        )
        return np.log(counts) if times_count else np.zeros_like(counts)


AMDAHL = Law(LawName.AMDAHL, (Term.ONE, Term.MORE), SumIs.WORKER_TIME)
GUSTAFSON = Law(LawName.GUSTAFSON, (Term.ONE, Term.MORE), SumIs.RATE)
UNIVERSAL = Law(LawName.UNIVERSAL, (Term.ONE, Term.MORE, Term.PAIRS), SumIs.WORKER_TIME)
POWER = Law(LawName.POWER, (Term.ONE, Term.LOG), SumIs.LOG_RATE)

LAWS = {
    Problem.FIXED: (AMDAHL, UNIVERSAL, POWER),
    Problem.GROWING: (GUSTAFSON, UNIVERSAL, POWER),
    Problem.COST: (POWER,),
}
# Extra-P's own least number of counts (its user guide, "at least 5 measurement points").
LEAST_FOR_EXTRA_P = 5


def normal_form(term: NormalTerm) -> Law:
    """Extra-P's normal form with that term; a constant where the term is 1."""
    if term.exponent == 0 and term.log_exponent == 0:
        return Law(LawName.EXTRA_P, (Term.ONE,), SumIs.TIME, chosen=2)
    return Law(LawName.EXTRA_P, (Term.ONE, Term.NORMAL), SumIs.TIME, chosen=2, term=term)


def fit(law: Law, counts: Sequence[int], logs: Floats, problem: Problem) -> Floats | None:
    """The coefficients that bring the law closest to `logs` (of the rate; of a COST, the cost).

    Counts weigh the same: runs take more launches where results scatter more, so that their means
    are about equally well known. None where the law has no value at some count.
    """
    places = np.asarray(counts, dtype=float)
    basis = law.basis(places)
    scale = np.abs(basis).max(axis=0)
    scaled = basis / scale
    if law.sum_is is SumIs.LOG_RATE:
        found = np.linalg.lstsq(scaled, logs, rcond=None)[0]
        return np.asarray(found / scale)
    target = (logs - law.offset(places, problem)) * law.sign(problem)
    observed = np.exp(target)

    def residual(coefficients: Floats) -> Floats:
        total = scaled @ coefficients
        return np.asarray(np.log(np.maximum(total / observed, _SMALLEST)))

    def jacobian(coefficients: Floats) -> Floats:
        total = np.maximum(scaled @ coefficients, _SMALLEST * observed)
        return np.asarray(scaled / total[:, np.newaxis])

    start = np.linalg.lstsq(scaled / observed[:, np.newaxis], np.ones_like(observed), rcond=None)[0]
    if not np.all(scaled @ start > 0):
        start = np.zeros(len(law.terms))
        start[0] = math.exp(float(target.mean()))
    from scipy.optimize import least_squares

    found = least_squares(residual, start, jac=jacobian, method="lm", xtol=1e-12, ftol=1e-12).x
    return np.asarray(found / scale) if np.all(scaled @ found > 0) else None


def sensitivity(law: Law, counts: Sequence[int], coefficients: Floats, problem: Problem) -> Floats:
    """How the log of the rate changes with each coefficient: `[count, coefficient]`."""
    basis = law.basis(np.asarray(counts, dtype=float))
    if law.sum_is is SumIs.LOG_RATE:
        return basis
    return np.asarray(law.sign(problem) * basis / (basis @ coefficients)[:, np.newaxis])


def _term(name: Term, counts: Floats, term: NormalTerm) -> Floats:
    if name is Term.ONE:
        return np.ones_like(counts)
    if name is Term.MORE:
        return counts - 1
    if name is Term.PAIRS:
        return counts * (counts - 1)
    if name is Term.LOG:
        return np.log(counts)
    logs = np.log2(counts) ** term.log_exponent if term.log_exponent else np.ones_like(counts)
    return np.asarray(counts**term.exponent * logs)
