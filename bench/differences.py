"""How many of many comparisons report a difference. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.stats.comparison import compare_estimates, holm
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate

SIGNIFICANCE = 0.05


class DifferenceCounts(Struct, frozen=True):
    """Counts over all comparisons: by machmeter's verdict, by p below 5 %, after Holm.

    skipped: comparisons without a ratio, because an overhead or share is below resolution.
    """

    compared: int
    different: int
    significant: int
    after_holm: int
    skipped: int
    names: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share with a difference by machmeter's verdict."""
        return self.different / self.compared if self.compared else 0.0

    @property
    def significant_share(self) -> float:
        """The share with a p value below 5 %: about 5 % expected where nothing differs."""
        return self.significant / self.compared if self.compared else 0.0


def count_differences(
    a: Sequence[Estimate], b: Sequence[Estimate], *, paired: bool
) -> DifferenceCounts:
    """Compare estimates of the same point and metric in `a` and `b`, each as machmeter does."""
    of_b = {(e.point.key, e.metric): e for e in b}
    pairs = [(e, of_b[e.point.key, e.metric]) for e in a if (e.point.key, e.metric) in of_b]
    compared = [(mine, compare_estimates(mine, other, paired)) for mine, other in pairs]
    decided = [(e, c) for e, c in compared if c.degrees > 0]
    return DifferenceCounts(
        compared=len(decided),
        different=sum(_different(c) for _, c in decided),
        significant=sum(c.p_value < SIGNIFICANCE for _, c in decided),
        after_holm=sum(p < SIGNIFICANCE for p in holm([c.p_value for _, c in decided])),
        skipped=len(compared) - len(decided),
        names=tuple(
            f"{e.point.key}: {c.ratio:.3f} [{c.low:.3f}, {c.high:.3f}]"
            for e, c in decided
            if _different(c)
        ),
    )


def _different(comparison: Comparison) -> bool:
    return comparison.verdict in (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)
