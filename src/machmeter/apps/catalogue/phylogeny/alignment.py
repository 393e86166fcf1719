"""Make a DNA alignment that evolved along a random tree, and another tree to start a search from.

    alignment.py TAXA SITES EXCHANGES

Writes dna.phy (PHYLIP), and start.tree (Newick): the true tree after so many exchanges of two
leaves. Sites evolve by the model of Jukes and Cantor (1969), each with one of four rates.
"""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

# Only `random()` itself gives the same numbers in every version of Python.
RANDOM = random.Random(20161)
RATES = (0.1, 0.4, 1.0, 2.5)
SHORTEST, LONGEST = 0.01, 0.12

Tree = tuple["Tree", "Tree", float] | int


def below(count: int) -> int:
    return int(RANDOM.random() * count)


def random_tree(taxa: int) -> Tree:
    trees: list[Tree] = list(range(taxa))
    while len(trees) > 1:
        first = trees.pop(below(len(trees)))
        second = trees.pop(below(len(trees)))
        trees.append((first, second, SHORTEST + RANDOM.random() * (LONGEST - SHORTEST)))
    return trees[0]


def evolved(bases: list[int], rates: list[float], length: float) -> list[int]:
    changes = [0.75 * (1 - math.exp(-4 / 3 * length * rate)) for rate in rates]
    return [
        (base + 1 + below(3)) % 4 if RANDOM.random() < change else base
        for base, change in zip(bases, changes, strict=True)
    ]


def leaves(tree: Tree, bases: list[int], rates: list[float]) -> dict[int, list[int]]:
    if isinstance(tree, int):
        return {tree: bases}
    found: dict[int, list[int]] = {}
    for child in tree[:2]:
        found |= leaves(child, evolved(bases, rates, tree[2]), rates)
    return found


def newick(tree: Tree, names: list[int]) -> str:
    if isinstance(tree, int):
        return f"t{names[tree]}"
    return f"({newick(tree[0], names)},{newick(tree[1], names)})"


def main(taxa: int, sites: int, exchanges: int) -> None:
    tree = random_tree(taxa)
    rates = [RATES[below(len(RATES))] for _ in range(sites)]
    alignment = leaves(tree, [below(4) for _ in range(sites)], rates)
    rows = ("".join("ACGT"[base] for base in alignment[one]) for one in range(taxa))
    lines = [f"{taxa} {sites}", *(f"t{one} {row}" for one, row in enumerate(rows))]
    Path("dna.phy").write_text("\n".join(lines) + "\n", encoding="ascii")
    names = list(range(taxa))
    for _ in range(exchanges):
        first, second = below(taxa), below(taxa)
        names[first], names[second] = names[second], names[first]
    Path("start.tree").write_text(newick(tree, names) + ";\n", encoding="ascii")


main(*map(int, sys.argv[1:]))
