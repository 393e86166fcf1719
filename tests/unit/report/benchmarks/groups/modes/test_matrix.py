"""What a node does in each launch mode: ratios, who is best and tied, and the whole system."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.trial import ratio_of
from machmeter.model.layout import LaunchMode
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import Point
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.run import RunResult
from machmeter.model.variant import Variant
from machmeter.report.benchmarks.groups.modes.matrix import ModeMatrix, ModeRow, mode_matrix
from machmeter.studies.edison.modes import CODES, EDISON, MEASURED_MODES, MODES
from tests.support.synthetic.modes import (
    GAINS,
    WITHOUT_SMT,
    make_modes,
    usual_gain,
    usual_modes,
    with_described,
)
from tests.support.synthetic.run import make_run

BEST, TIED = LaunchMode.MPI_SMT, LaunchMode.HYBRID_SMT
LOSER = "proxies.lqcd"


def of_loser(point: Point) -> float:
    """One code is best in the mode in which all others are worst."""
    worst = point.layout.mode is LaunchMode.HYBRID_SMT_RESERVED
    return 1.5 if worst and point.benchmark == LOSER else usual_gain(point)


def system_of(found: ModeMatrix) -> ModeRow:
    assert found.system is not None
    return found.system


def matrix_of(result: RunResult) -> ModeMatrix:
    found = mode_matrix(result)
    assert found is not None
    return found


def test_every_code_stands_in_all_modes_by_its_ratio_to_the_first() -> None:
    found = matrix_of(usual_modes())
    assert found.modes == MEASURED_MODES
    assert len(found.rows) == len({row.name for row in found.rows}) == 8
    for row in found.every_row:
        ratios = {mode: one.ratio for mode, one in row.ratios.items()}
        assert ratios == pytest.approx({m: g for m, g in GAINS.items() if m is not MODES[0]})
        assert (row.best, row.tied) == (BEST, (TIED,))


def test_rows_are_named_by_the_codes_of_the_study() -> None:
    names = [row.name.partition(" (")[0] for row in matrix_of(usual_modes()).rows]
    assert names == [code.name for code in CODES]


def test_what_is_not_of_a_study_is_named_by_its_title_and_what_distinguishes_it() -> None:
    result = usual_modes()
    bare = replace(EDISON, experiments=tuple(replace(e, code="") for e in EDISON.experiments))
    request = replace(result.header.request, study=bare)
    found = matrix_of(replace(result, header=replace(result.header, request=request)))
    names = [row.name for row in found.rows]
    assert "Lattice fermions" in names
    assert sum(name.startswith("Plane-wave states: ") for name in names) == 2


def test_applications_have_rows_and_are_in_no_mean() -> None:
    def gain(point: Point) -> float:
        alone = 5.0 if point.layout.mode is LaunchMode.HYBRID_SMT else usual_gain(point)
        return alone if point.benchmark == "app.gromacs-water" else usual_gain(point)

    found = matrix_of(make_modes(gain, study=with_described("gromacs-water", "lammps-liquid")))
    gromacs, lammps = found.applications
    assert (gromacs.best, gromacs.tied) == (LaunchMode.HYBRID_SMT, ())
    assert gromacs.ratios[LaunchMode.HYBRID_SMT].ratio == pytest.approx(5)
    # It has one thread a rank.
    assert set(lammps.results) == {m for m in MEASURED_MODES if m.threads_per_rank == 1}
    without = matrix_of(usual_modes())
    assert system_of(found).ratios == system_of(without).ratios
    assert (found.each_best, len(found.rows)) == (without.each_best, 8)
    assert found.every_row[-3:] == (found.system, gromacs, lammps)


def test_one_code_and_one_application_are_two_rows_without_a_mean() -> None:
    kept = {LOSER, "app.gromacs-water"}
    study = with_described("gromacs-water")
    found = matrix_of(
        make_modes(lambda p: usual_gain(p) if p.benchmark in kept else 0.0, study=study)
    )
    assert (found.system, found.each_best) == (None, None)
    assert len(found.every_row) == 2


@pytest.mark.parametrize("asked", [True, False])
def test_best_and_tied_are_those_of_the_answer_or_of_the_comparison(asked: bool) -> None:
    result = make_modes(of_loser)
    if not asked:
        result = replace(result, plan=replace(result.plan, questions=()), findings=())
    rows = matrix_of(result).rows
    ahead = {row.results[row.best].point.benchmark: (row.best, row.tied) for row in rows}
    assert ahead.pop(LOSER) == (LaunchMode.HYBRID_SMT_RESERVED, ())
    assert set(ahead.values()) == {(BEST, (TIED,))}


def test_a_difference_too_small_to_matter_is_a_tie() -> None:
    result = make_modes(lambda p: 1.29 if p.layout.mode is TIED else usual_gain(p))
    bare = replace(result, plan=replace(result.plan, questions=()), findings=())
    assert {row.tied for row in matrix_of(bare).rows} == {(TIED,)}


def test_of_many_comparisons_what_one_alone_would_show_may_be_chance() -> None:
    near = {LaunchMode.MPI: 1.0, BEST: 1.3}
    result = make_modes(lambda p: near.get(p.layout.mode or BEST, 1.265), spread=0.03)
    bare = replace(result, plan=replace(result.plan, questions=()), findings=())
    rows = matrix_of(bare).rows
    alone = {
        (row.name, mode)
        for row in rows
        for mode, one in row.results.items()
        if mode is not row.best
        and ratio_of(row.results[row.best], one).verdict is not ComparisonVerdict.FASTER
    }
    tied = {(row.name, mode) for row in rows for mode in row.tied}
    assert tied > alone
    assert not any(mode is LaunchMode.MPI for _, mode in tied)


def test_ties_are_those_that_the_answer_of_the_run_calls() -> None:
    result = usual_modes()
    tied = [
        replace(f, cases=tuple(replace(c, ranking=replace(c.ranking, tied=())) for c in f.cases))
        for f in result.findings
        if all(c.ranking for c in f.cases)
    ]
    assert all(not row.tied for row in matrix_of(replace(result, findings=tuple(tied))).rows)


def test_the_system_is_the_geometric_mean_and_each_code_may_have_its_best_mode() -> None:
    found = matrix_of(make_modes(of_loser))
    mean = system_of(found).ratios[LaunchMode.HYBRID_SMT_RESERVED]
    assert mean.ratio == pytest.approx(math.exp((7 * math.log(0.8) + math.log(1.5)) / 8))
    each = math.exp((7 * math.log(1.3) + math.log(1.5)) / 8)
    assert found.each_best is not None
    assert found.each_best.low < each < found.each_best.high
    assert system_of(found).best is BEST
    assert found.each_best.low > system_of(found).ratios[BEST].high
    assert system_of(found).ratios[BEST].low < 1.3 < system_of(found).ratios[BEST].high


def test_a_mode_without_a_result_of_one_code_is_no_mode_of_the_system() -> None:
    missing = make_modes(
        lambda p: 0.0 if p.benchmark == LOSER and p.layout.mode is BEST else usual_gain(p)
    )
    found = matrix_of(missing)
    assert found.modes == MEASURED_MODES
    assert BEST not in system_of(found).ratios
    assert system_of(found).best is TIED
    assert sum(BEST in row.ratios for row in found.rows) == 7


def test_without_a_second_hardware_thread_the_other_modes_stand() -> None:
    found = matrix_of(make_modes(machine=WITHOUT_SMT))
    assert not any(mode.smt > 1 for mode in found.modes)
    assert found.modes[0] is LaunchMode.MPI
    assert found.unmeasured == MODES[1:]


@pytest.mark.parametrize(
    "result",
    [
        make_run(),
        # Two ranks leave cores of the node idle.
        make_modes(options=LayoutOptions(rank_counts=(2,), threads=(1,), smt=(1, 2))),
        make_modes(options=LayoutOptions(modes=(LaunchMode.MPI,))),
        make_modes(lambda p: usual_gain(p) if p.benchmark == LOSER else 0.0),
    ],
)
def test_without_two_codes_in_two_modes_of_whole_nodes_there_is_none(result: RunResult) -> None:
    assert mode_matrix(result) is None


def test_one_mode_that_all_codes_have_is_no_best_one() -> None:
    apart = make_modes(
        lambda p: (
            0.0
            if (p.benchmark == LOSER) == (p.layout.mode in MEASURED_MODES[2:])
            and p.layout.mode is not MODES[0]
            else usual_gain(p)
        )
    )
    found = matrix_of(apart)
    assert found.system is None
    assert found.every_row == found.rows


def test_of_several_mpi_libraries_a_code_is_one_row() -> None:
    result = usual_modes()
    both = replace(
        result,
        estimates=tuple(
            replace(one, point=replace(one.point, variant=Variant(mpi)))
            for mpi in ("mpich", "openmpi")
            for one in result.estimates
        ),
    )
    assert len(matrix_of(both).rows) == len(matrix_of(result).rows)
