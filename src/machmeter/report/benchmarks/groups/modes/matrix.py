"""What a node does in each launch mode, over one rank on each core: by code, and over all codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.rules.ranking import best_of
from machmeter.analysis.rules.select import pool_of, select
from machmeter.analysis.rules.trial import ratio_of
from machmeter.analysis.scores.mean_ratio import CodeRatio, mean_ratio, mean_ratio_of_best
from machmeter.analysis.stats.comparison import holm
from machmeter.analysis.stats.fields import has_values
from machmeter.benchmarks.catalogue import known, title_of
from machmeter.model.benchmark import Benchmark
from machmeter.model.layout import LaunchMode, Layout
from machmeter.model.plan.question import BestRule, Question
from machmeter.model.point import Point
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Ranking
from machmeter.model.results.run import RunResult
from machmeter.model.variant import ONLY
from machmeter.text.labels import distinguishing_label

BASELINE = LaunchMode.MPI
_SIGNIFICANCE = 0.05
ByMode = Mapping[LaunchMode, Estimate]


class ModeRow(Struct, frozen=True):
    """A code, or all of them, in the modes that it was measured in."""

    name: str
    """As text."""
    ratios: Mapping[LaunchMode, Comparison]
    """What a node does over what it does in the baseline; without the baseline itself."""
    best: LaunchMode
    """The best one, whether or not that is shown."""
    tied: tuple[LaunchMode, ...]
    """Those that the best is not shown to be better than."""
    results: ByMode = {}
    """What the ratios are of; none of all codes."""


class ModeMatrix(Struct, frozen=True):
    """Codes by launch modes."""

    modes: tuple[LaunchMode, ...]
    """Those measured, the baseline first."""
    rows: tuple[ModeRow, ...]
    """A code of machmeter's own or a workload each, in the order of the run."""
    system: ModeRow | None
    """The geometric mean over these, of the modes that all of them were measured in; None of one
    mode or one code."""
    each_best: Comparison | None
    """The geometric mean over codes, each in its best mode (`mean_ratio_of_best`)."""
    applications: tuple[ModeRow, ...] = ()
    """Programs of others, which are in no mean: machines have others of them installed."""
    unmeasured: tuple[LaunchMode, ...] = ()
    """Those requested of which there is no result."""

    @property
    def own_rows(self) -> tuple[ModeRow, ...]:
        """The codes, and below them all of them together."""
        return (*self.rows, self.system) if self.system else self.rows

    @property
    def every_row(self) -> tuple[ModeRow, ...]:
        """Those, and applications below them."""
        return (*self.own_rows, *self.applications)


def mode_matrix(result: RunResult) -> ModeMatrix | None:
    """The matrix of a run; None without two codes in two modes each, on whole nodes."""
    codes = _codes(result)
    modes = tuple(mode for mode in LaunchMode if any(mode in by for by in codes))
    if len(codes) < 2:
        return None
    names = _names(result, [by[BASELINE] for by in codes])
    every = [_row(result, name, by) for name, by in zip(names, codes, strict=True)]
    rows = tuple(row for row in every if row.results[BASELINE].point.is_work)
    each = [
        [row.results[BASELINE], *(one for m, one in row.results.items() if m is not BASELINE)]
        for row in rows
    ]
    requested = dict.fromkeys(m for e in result.header.request.study.experiments for m in e.modes)
    return ModeMatrix(
        modes,
        rows,
        _system(rows),
        mean_ratio_of_best(each) if len(rows) > 1 else None,
        tuple(row for row in every if row not in rows),
        tuple(mode for mode in requested if mode not in modes),
    )


def _codes(result: RunResult) -> list[ByMode]:
    """The results of each code by mode, of those that have the baseline and another one.

    Of several MPI libraries the first, of several numbers of nodes the most: a code is one row.
    """
    found: dict[Point, dict[LaunchMode, Estimate]] = {}
    cores = len(result.header.machine.topology.usable_cores)
    every = [
        (mode, one)
        for one in result.estimates
        if (mode := one.point.layout.mode) is not None
        and _is_figure(result, one)
        and _fills_node(one, cores)
    ]
    nodes = max((one.point.layout.nodes for _, one in every), default=1)
    named = [one.point.variant for _, one in every if one.point.variant != ONLY]
    layouts = ((one.point.benchmark, one.point.layout) for _, one in every)
    usual = {benchmark: layout for benchmark, layout in layouts if layout.is_placed}
    for mode, one in every:
        if one.point.layout.nodes == nodes and one.point.variant in {ONLY, *named[:1]}:
            placed = usual.get(one.point.benchmark, one.point.layout)
            found.setdefault(_without_mode(one.point, placed), {})[mode] = one
    return [by for by in found.values() if BASELINE in by and len(by) > 1]


def _is_figure(result: RunResult, estimate: Estimate) -> bool:
    """Whether it is the first metric of a program's work, and has an interval where it should."""
    declared = _declared(result, estimate)
    of_program = estimate.point.is_work or (declared is not None and declared.program.observed)
    known_well = estimate.origin.is_quoted or estimate.is_bounded
    first = declared is not None and declared.metrics[0].name == estimate.metric
    return first and known_well and of_program and estimate.value > 0


def _declared(result: RunResult, estimate: Estimate) -> Benchmark | None:
    return known(estimate.point.benchmark, result.header.request.study.benchmarks)


def _fills_node(estimate: Estimate, cores: int) -> bool:
    """Whether no core is left for another rank."""
    layout = estimate.point.layout
    return 0 <= (cores - layout.cores_per_node) * layout.smt < layout.cpus_per_rank


def _without_mode(point: Point, usual: Layout) -> Point:
    """The point with what modes differ in as in every other; usual: a layout of its benchmark where
    something is set."""
    layout = point.layout
    placed = layout if layout.is_placed else usual
    same = replace(
        layout,
        ranks_per_node=1,
        threads_per_rank=1,
        smt=1,
        reserved_cores=0,
        binding=placed.binding,
        wait_policy=placed.wait_policy,
    )
    return replace(point, layout=same)


def _names(result: RunResult, baselines: Sequence[Estimate]) -> list[str]:
    """The code that each stands for and its title; what distinguishes several of one name."""
    plain_names = [_name(result, one) for one in baselines]
    names = []
    for one, name in zip(baselines, plain_names, strict=True):
        same = [b for b, other in zip(baselines, plain_names, strict=True) if other == name]
        label = distinguishing_label(same, alone="")(one)
        names.append(f"{name}: {label}" if label else name)
    return names


def _name(result: RunResult, one: Estimate) -> str:
    declared = _declared(result, one)
    title = declared.title if declared else title_of(one.point.benchmark)
    values = dict(one.point.parameters)
    code = next(
        (
            e.code
            for e in result.header.request.study.experiments
            if e.code
            and e.benchmark == one.point.benchmark
            and all(values.get(name) in wanted for name, wanted in e.parameters.items())
        ),
        "",
    )
    return f"{code} ({title})" if code else title


def _row(result: RunResult, name: str, by_mode: ByMode) -> ModeRow:
    ratios = {
        mode: ratio_of(one, by_mode[BASELINE])
        for mode, one in by_mode.items()
        if mode is not BASELINE
    }
    best, tied = _by_finding(result, by_mode) or _by_comparison(by_mode)
    return ModeRow(name, ratios, best, tied, by_mode)


def _by_finding(
    result: RunResult, by_mode: ByMode
) -> tuple[LaunchMode, tuple[LaunchMode, ...]] | None:
    """Best and tied as the run's own answer has them; None where no question compares them."""
    ranking = _ranking(result, by_mode)
    if ranking is None:
        return None
    best = [mode for mode, one in by_mode.items() if has_values(one, ranking.best)]
    tied = [
        mode for values in ranking.tied for mode, one in by_mode.items() if has_values(one, values)
    ]
    return (best[0], tuple(tied)) if len(best) == 1 else None


def _ranking(result: RunResult, by_mode: ByMode) -> Ranking | None:
    """How the finding ranks these results and no others; None where there is none, or several."""
    points = {one.point for one in by_mode.values()}
    texts = {q.text for q in result.plan.questions if _compared(result, q) == points}
    cases = [case for f in result.findings if f.question in texts for case in f.cases]
    rankings = [case.ranking for case in cases if case.ranking is not None]
    return rankings[0] if len(rankings) == 1 else None


def _compared(result: RunResult, question: Question) -> set[Point]:
    if not isinstance(question.rule, BestRule):
        return set()
    pool = pool_of(question, result.estimates)
    return {one.point for one in select(question.rule.candidate, pool, {})}


def _by_comparison(by_mode: ByMode) -> tuple[LaunchMode, tuple[LaunchMode, ...]]:
    first = best_of(list(by_mode.values()))
    best = next(mode for mode, one in by_mode.items() if one is first)
    return best, _tied({m: ratio_of(first, e) for m, e in by_mode.items() if m is not best})


def _tied(leads: Mapping[LaunchMode, Comparison]) -> tuple[LaunchMode, ...]:
    """Those over which the lead of the best is not shown, by p values adjusted for their number;
    chosen after looking it stands for every pair: half as many as there are modes."""
    chosen = (len(leads) + 1) / 2
    adjusted = holm([min(1.0, chosen * one.p_value) for one in leads.values()])
    return tuple(
        mode
        for (mode, one), p_value in zip(leads.items(), adjusted, strict=True)
        if one.verdict is not ComparisonVerdict.FASTER
        or (p_value > _SIGNIFICANCE and one.is_bounded)
    )


def _ratio(one: Estimate, other: Estimate) -> CodeRatio:
    return CodeRatio(one, other, ratio_of(one, other))


def _system(rows: Sequence[ModeRow]) -> ModeRow | None:
    """All codes in the modes that each of them was measured in."""
    if len(rows) < 2:
        return None
    common = [mode for mode in LaunchMode if all(mode in row.results for row in rows)]
    if len(common) < 2:
        return None

    def lead(mode: LaunchMode, other: LaunchMode) -> Comparison:
        return mean_ratio([_ratio(row.results[mode], row.results[other]) for row in rows])

    ratios = {mode: lead(mode, BASELINE) for mode in common if mode is not BASELINE}
    best = max(common, key=lambda mode: ratios[mode].ratio if mode in ratios else 1.0)
    tied = _tied({mode: lead(best, mode) for mode in common if mode is not best})
    return ModeRow(f"All {len(rows)} codes, geometric mean", ratios, best, tied)
