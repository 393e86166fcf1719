"""What a report of a run writes beside its page."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from machmeter.api.loading import Run
from machmeter.api.reports import report
from machmeter.run.results.result import collect
from tests.support.made_up.ab_runs import measured, two_sided


def test_the_charts_of_an_ab_run_begin_with_its_ratios(tmp_path: Path) -> None:
    folder = measured(two_sided(tmp_path / "run"))
    run = Run(folder.path, collect(folder))
    written = report(run, path=tmp_path / "page.html", charts=tmp_path / "charts")
    names = [path.name for path in written.charts]
    assert names[:2] == ["ab-ratios.png", "ab-ratios.svg"]
    alone = Run(folder.path, replace(run.result, baseline=None))
    written = report(alone, path=tmp_path / "page.html", charts=tmp_path / "others")
    assert [path.name for path in written.charts] == names[2:]
