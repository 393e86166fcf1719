"""Write the documents made from the code: JSON Schemas, benchmarks, and what the studies claim, the
API and its notebook; and the machines of the package as one file.

`python tools/write_docs.py [FOLDER]`, by default `docs`; a test compares what it writes with what
is kept there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from write_api import notebook, reference_of_api
from write_applications import document_of_applications
from write_claims import document_of_claims
from write_machines import PACKAGED, packaged_json
from write_rooms import with_rooms

from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS
from machmeter.benchmarks.reference import REFERENCE
from machmeter.cli.schemas import DOCUMENTS, schema_of
from machmeter.model.benchmark import AUTO, Benchmark, Formula, Metric, Parameter, ParameterKind
from machmeter.model.benchmark import Value as ParameterValue
from machmeter.model.units import format_bytes
from machmeter.text.glossary import SECTIONS

ROOT = Path(__file__).resolve().parents[1]

_HEAD = """\
# Benchmarks

<!-- Made from src/machmeter/benchmarks by tools/write_docs.py: change them, then `make docs`. -->

Every benchmark with its parameters and metrics, as `machmeter list benchmarks` prints them. A
parameter takes the values below unless `--set NAME=VALUE,...` gives others; `auto` stands for
values taken from a latency curve measured at the start of the run. `quick` measures fewer values
of some parameters. [method.md](method.md) explains how a value is computed from samples.
"""

_DOCS = Path(__file__).resolve().parents[1] / "docs"
_NOTEBOOK = "examples/first_steps"
_FORMULAS = {
    Formula.TIME: "time of one event",
    Formula.RATE: "`{amount}` of one event over its time",
    Formula.OVERHEAD: "{0} minus {1}, in pairs",
    Formula.QUOTIENT: "{0} over {1}",
    Formula.WORK_HIDDEN: "1 - ({0} - {2}) / {1}",
    Formula.COMMUNICATION_HIDDEN: "1 - ({0} - {1}) / {2}",
    Formula.AMOUNT: "`{amount}` as recorded",
    Formula.AVAILABILITY: "1 - overhead / {2}, by two lines fitted to {0} over {1}",
}


def main() -> None:
    """Write every document into the folder that the command line names."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    # First: some documents are made of what it holds.
    packaged = folder.parent / PACKAGED.relative_to(ROOT)
    packaged.parent.mkdir(parents=True, exist_ok=True)
    packaged.write_text(packaged_json(), encoding="utf-8")
    for path, text in documents():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    contributing = ROOT / "CONTRIBUTING.md"
    rooms = with_rooms(contributing.read_text(encoding="utf-8"), ROOT / "src" / "machmeter")
    (folder.parent / "CONTRIBUTING.md").write_text(rooms, encoding="utf-8")


def glossary() -> str:
    """The terms of `machmeter.text.glossary` as tables, one a section."""
    parts = [
        "# Glossary\n\n<!-- Made from src/machmeter/text/glossary.py by tools/write_docs.py. -->\n"
    ]
    for title, terms in SECTIONS:
        rows = "\n".join(f"| {one.name} | {one.meaning} | {one.source} |" for one in terms)
        parts.append(f"## {title}\n\n| term | meaning | source |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def documents() -> Iterator[tuple[str, str]]:
    """Path below the folder and text of every document."""
    yield "api.md", reference_of_api()
    yield "applications.md", document_of_applications()
    yield "benchmarks.md", reference_of_benchmarks()
    yield "glossary.md", glossary()
    yield "published-claims.md", document_of_claims()
    yield f"{_NOTEBOOK}.ipynb", notebook(_DOCS / f"{_NOTEBOOK}.py")
    for name in DOCUMENTS:
        schema = msgspec.json.format(msgspec.json.encode(schema_of(name)), indent=2)
        yield f"schema/{name}.json", schema.decode() + "\n"


def reference_of_benchmarks() -> str:
    """The reference of benchmarks, in Markdown."""
    parts = [_HEAD]
    for group in GROUPS:
        parts.append(f"## Group `{group}`\n")
        parts += [_section(benchmark) for benchmark in BENCHMARKS if benchmark.group == group]
    parts.append("## Measured by every run\n")
    parts.append(_section(REFERENCE))
    return "\n".join(parts)


def _section(benchmark: Benchmark) -> str:
    lines = [f"### {benchmark.name}", "", f"**{benchmark.title}.** {benchmark.summary}", ""]
    lines += _table(
        ("parameter", "values", "meaning"),
        ((f"`{p.name}`", _values(p), p.summary) for p in benchmark.parameters),
    )
    lines += [
        "",
        *_table(("metric", "unit", "better", "from samples"), map(_row, benchmark.metrics)),
    ]
    return "\n".join([*lines, "", _layouts(benchmark), ""])


def _row(metric: Metric) -> tuple[str, ...]:
    formula = _FORMULAS[metric.formula].format(*metric.series, amount=metric.amount)
    unit = f"{metric.unit.symbol} ({metric.unit.name})" if metric.unit.symbol else metric.unit.name
    name = f"`{metric.name}`" if metric.primary else f"`{metric.name}` (no precision asked)"
    return name, unit, metric.direction.value.removesuffix(" is better"), formula


def _values(parameter: Parameter) -> str:
    if parameter.values == (AUTO,):
        return "`auto`"
    return ", ".join(_value(parameter, value) for value in parameter.values)


def _value(parameter: Parameter, value: ParameterValue) -> str:
    if parameter.kind is ParameterKind.SIZE and isinstance(value, int):
        return format_bytes(value)
    return f"`{value}`" if isinstance(value, str) else str(value)


def _layouts(benchmark: Benchmark) -> str:
    swept = {
        "page sizes": benchmark.sweep_pages,
        "wait policies": len(benchmark.wait_policies) > 1,
        "bindings": len(benchmark.bindings) > 1,
        "OpenMP runtimes": benchmark.sweep_runtimes,
        "allocators": benchmark.sweep_allocators,
        "packages": benchmark.sweep_packages,
    }
    over = " and ".join(name for name, is_swept in swept.items() if is_swept)
    sentences = [
        f"Program `{benchmark.program.name}`, {benchmark.ranks.value}"
        + f"; {benchmark.threads.value}"
        + (f"; measured over {over}." if over else ".")
    ]
    sentences += [
        "Not combined: " + ", ".join(f"`{name}={value}`" for name, value in skip) + "."
        for skip in benchmark.skips
    ]
    return " ".join(sentences)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    head = [columns, ["---"] * len(columns)]
    return [f"| {' | '.join(cells)} |" for cells in (*head, *rows)]


if __name__ == "__main__":
    main()
