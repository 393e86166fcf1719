"""Alignments of sequences: many short tables in tasks, and one large table in blocks."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import SCALED, TOUCH, code
from machmeter.model.benchmark import Parameter, ParameterKind, ParameterRole
from machmeter.model.units import ALIGNMENT_CELLS_PER_SECOND

ALIGNPAIRS = code(
    name="codes.alignpairs",
    title="Alignment of all pairs",
    summary="Scores of the global alignments of all pairs of sequences, with affine gaps (Gotoh, "
    "J. Mol. Biol. 162, 1982): a task aligns a sequence with 16 others at once, in lanes of 16 "
    "bits. In every launch every score is compared with that of the two exchanged, some with the "
    "plain recurrence and with traced alignments.",
    stands_for="comparisons of many sequences: integer work that shares nothing",
    parameters=(
        Parameter(
            "sequences",
            ParameterKind.COUNT,
            (128,),
            "sequences of 19 to 2069 letters, in the mean 641; each is aligned with all others",
            minimum=2,
            maximum=1_000_000,
            bytes_each=25_000,
            counted=("sequence", "sequences"),
            role=ParameterRole.WORK,
            grows=2,
        ),
        TOUCH,
        SCALED,
    ),
    unit=ALIGNMENT_CELLS_PER_SECOND,
    amount="cells",
)
ALIGNLONG = code(
    name="codes.alignlong",
    title="Alignment of two long sequences",
    summary="The best local alignment of two sequences, with affine gaps (Gotoh, J. Mol. Biol. "
    "162, 1982), by blocks of the table: a task each, which depends on the block above and the "
    "block to the left; the edges of all blocks are kept. In every launch planted pieces are "
    "found, the table is compared with that of the two exchanged, and parts of it with the plain "
    "recurrence.",
    stands_for="dynamic programming over one table: integer work with a wavefront of tasks",
    parameters=(
        Parameter(
            "length",
            ParameterKind.COUNT,
            (32_768,),
            "letters of each sequence",
            minimum=1024,
            maximum=50_000_000,
            bytes_each=170,
            counted=("letter", "letters"),
            role=ParameterRole.WORK,
            grows=2,
        ),
        Parameter(
            "block",
            ParameterKind.COUNT,
            (512,),
            "rows and columns of a block: larger ones cost less each cell, smaller ones occupy "
            "more threads",
            choices=("128", "256", "512", "1024", "2048"),
            phrase="blocks of {}",
        ),
        TOUCH,
        SCALED,
    ),
    unit=ALIGNMENT_CELLS_PER_SECOND,
    amount="cells",
)
