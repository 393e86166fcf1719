"""What is fetched from PyPI is known to the byte, for every processor and Python."""

from __future__ import annotations

import pytest
from packaging.markers import Marker
from packaging.tags import Tag
from packaging.utils import parse_wheel_filename

from machmeter.build.blas import OPENBLAS
from machmeter.build.devices.nvrtc import NVRTC
from machmeter.build.mpi import EMBEDDED
from machmeter.build.openmp import INTEL_OPENMP
from machmeter.build.pypi.requirements import (
    UNVERIFIED,
    known_wheels,
    mark_of,
    origin_text,
    release_of,
    requirement_lines,
)
from machmeter.build.python_tools.extra_p import EXTRA_P
from machmeter.build.python_tools.otava import OTAVA
from machmeter.model.errors import MachmeterError

PYTHONS = (11, 12, 13, 14)
PROCESSORS = ("x86_64", "aarch64")
EVERYWHERE = (
    *EMBEDDED.values(),
    OPENBLAS,
    *(one.requirement for one in NVRTC),
    *EXTRA_P.requirements,
    *OTAVA.requirements,
)


def serves(tag: Tag, minor: int, processor: str) -> bool:
    python = tag.interpreter in ("py3", f"cp3{minor}") and tag.abi in ("none", f"cp3{minor}")
    return python and (
        tag.platform == "any"
        or tag.platform.endswith(f"linux_2_28_{processor}")
        or tag.platform.endswith((f"linux_2_17_{processor}", f"linux_2_27_{processor}"))
        or tag.platform.endswith((f"linux_2_12_{processor}", f"linux2014_{processor}"))
    )


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("minor", PYTHONS)
def test_a_hash_is_known_for_every_processor_and_python(processor: str, minor: int) -> None:
    wanted = {*EVERYWHERE, *((INTEL_OPENMP,) if processor == "x86_64" else ())}
    for requirement in wanted:
        marker = requirement.partition(";")[2]
        if marker and not Marker(marker).evaluate({"python_version": f"3.{minor}"}):
            continue
        wheels = [one for one in known_wheels() if one.release == release_of(requirement)]
        tags = {tag for one in wheels for tag in parse_wheel_filename(one.name)[3]}
        assert any(serves(tag, minor, processor) for tag in tags), requirement


def test_every_requirement_is_one_version() -> None:
    for requirement in (*EVERYWHERE, INTEL_OPENMP):
        assert requirement.partition(";")[0].count("==") == 1
        assert not set("<>~*,") & set(requirement.partition(";")[0]), requirement


def test_nothing_is_listed_that_nothing_fetches() -> None:
    releases = {release_of(one) for one in (*EVERYWHERE, INTEL_OPENMP)}
    assert {one.release for one in known_wheels()} == releases
    assert all(len(one.sha256) == 64 for one in known_wheels())


def test_lines_hold_the_hashes_of_a_release_and_its_marker() -> None:
    (line,) = requirement_lines(("mpich==5.0.2; python_version < '4'",), {})
    assert line.startswith("mpich==5.0.2; python_version < '4' --hash=sha256:")
    assert line.count("--hash=sha256:") == 2
    with pytest.raises(MachmeterError, match="no SHA-256 is known of mpich==5"):
        requirement_lines(("mpich==5",), {})


def test_what_is_not_verified_lies_elsewhere_and_is_called_so() -> None:
    rebuilt = {UNVERIFIED: "1"}
    assert requirement_lines(("none==1.0",), rebuilt) == ("none==1.0",)
    mpich = (EMBEDDED["mpich"],)
    assert mark_of(mpich, rebuilt) == "unverified"
    assert mark_of(mpich, {UNVERIFIED: "0"}) == mark_of(mpich, {}) != "unverified"
    assert mark_of(mpich, {}) != mark_of((EMBEDDED["openmpi"],), {})
    assert "SHA-256 verified" in origin_text(mpich[0], {})
    assert "not verified" in origin_text(mpich[0], rebuilt)
