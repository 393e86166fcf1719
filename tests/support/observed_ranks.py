"""What the wrapper saw of a rank, for tests."""

from __future__ import annotations

from machmeter.model.plan.observation import ObservedRank, ObservedTree


def observed_rank(libraries: tuple[str, ...] = ()) -> ObservedRank:
    """A rank that was one second on CPU 0."""
    tree = ObservedTree(6, 1, 80, (), 0, 0, libraries, ())
    return ObservedRank("node", True, 1.0, 1.0, 0.0, 100, 0, 0, 0, 0, 0, (0,), 1.0, tree)
