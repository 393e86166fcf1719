"""Which versions and libraries of programs ran, and where reference values are of another one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.plan.command import Command
from machmeter.model.plan.description import (
    AppSize,
    Description,
    Extraction,
    OutputCheck,
    OutputReadings,
)
from machmeter.model.plan.launch import LaunchSpec, Record
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.run import Plan, ResolvedProgram
from machmeter.run.results.resolved import blas_caveats, reference_caveats, resolved_with
from machmeter.text.runs import resolved_text
from tests.support.fake_launcher import PRECISION, small_spec
from tests.support.observed_ranks import observed_rank

DESCRIBED = Description(
    name="md",
    title="MD",
    command=("md",),
    version=Extraction(pattern="version (.*)"),
    reference_version="1.0",
)


def spec(description: Description = DESCRIBED) -> LaunchSpec:
    command = Command(("/bin/md",), "/", 1.0, description)
    return replace(small_spec(), benchmark="app.md", command=command)


def record(*libraries: str, version: str = "1.0", simd: str = "") -> Record:
    read = OutputReadings(version=version, simd=simd)
    return Record(None, (), None, observed=(observed_rank(libraries),), output=read)


def test_what_launches_loaded_is_known_by_what_it_is_for() -> None:
    known = resolved_with({}, spec(), record("/a/libmpi.so.40", "/a/libblas.so.3", simd="AVX2"))
    known = resolved_with(known, spec(), record("/a/libmpi.so.40"))
    assert known == {
        "app.md": ResolvedProgram(
            "app.md", "1.0", "AVX2", {"MPI": ("/a/libmpi.so.40",), "BLAS": ("/a/libblas.so.3",)}
        )
    }
    # Of another variant.
    known = resolved_with(known, spec(), record("/b/libmpi.so.12"))
    assert resolved_text(known["app.md"]) == (
        "version 1.0, SIMD AVX2, MPI /a/libmpi.so.40 and /b/libmpi.so.12, BLAS /a/libblas.so.3"
    )


def test_programs_of_ours_are_not_resolved() -> None:
    assert resolved_with({}, small_spec(), record("/a/libmpi.so.40")) == {}


@pytest.mark.parametrize(("version", "told"), [("1.0", False), ("", False), ("1.1", True)])
def test_another_version_than_that_of_the_reference_values_is_told(
    version: str, told: bool
) -> None:
    resolved = resolved_with({}, spec(), record(version=version))
    caveats = tuple(reference_caveats(Plan((spec(),), PRECISION), resolved))
    assert [one.kind for one in caveats] == [CaveatKind.REFERENCES] * told
    assert all("1.1" in one.text and "1.0" in one.text for one in caveats)


def test_checks_that_were_not_judged_are_told() -> None:
    size = AppSize(name="minute", values={"n": "9"}, seconds=60, memory=1)
    check = OutputCheck(name="energy", pattern="(e)", absolute=1)
    sized = replace(DESCRIBED, checks=(check,), sizes=(size,))
    (caveat,) = reference_caveats(Plan((spec(sized), spec(sized)), PRECISION), {})
    assert "minute" in caveat.text
    assert "energy" in caveat.text


@pytest.mark.parametrize(("ranks", "told"), [(1, False), (2, True)])
def test_checks_of_one_thread_are_told_where_there_are_several(ranks: int, told: bool) -> None:
    known = {"energy": 1.0}
    size = AppSize(
        name="weak", values={"n": "9"}, grows="n", seconds=60, memory=1, references=known
    )
    check = OutputCheck(name="energy", pattern="(e)", absolute=1)
    one = spec(replace(DESCRIBED, checks=(check,), sizes=(size,)))
    of_ranks = replace(one, layout=replace(one.layout, ranks_per_node=ranks))
    assert ["energy" in e.text for e in reference_caveats(Plan((of_ranks,), PRECISION), {})] == (
        [True] * told
    )


@pytest.mark.parametrize(
    ("blas", "slow"),
    [
        ("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0", True),
        ("/usr/lib64/libblas.so.3", True),
        ("/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3", False),
        ("/usr/lib/x86_64-linux-gnu/atlas/libblas.so.3", False),
        ("/opt/intel/mkl/lib/libmkl_rt.so.2", False),
        ("/usr/lib/libopenblas.so.0", False),
    ],
)
def test_the_reference_blas_is_said_to_be_one(blas: str, slow: bool) -> None:
    known = resolved_with({}, spec(), record("/a/libmpi.so.40", blas))
    found = [one.kind for one in blas_caveats(known)]
    assert found == [CaveatKind.REFERENCE_BLAS] * slow
