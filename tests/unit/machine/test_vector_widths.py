"""In which widths a CPU has fused multiply-adds."""

from __future__ import annotations

import pytest

from machmeter.benchmarks.compute import WIDTHS
from machmeter.machine.vector_widths import vector_widths


@pytest.mark.parametrize(
    ("architecture", "features", "expected"),
    [
        ("x86_64", (), ()),
        ("x86_64", ("avx",), ()),
        ("x86_64", ("avx2", "fma"), WIDTHS[:3]),
        ("x86_64", ("avx2", "avx512f", "fma"), WIDTHS),
        ("aarch64", ("asimd", "sve"), WIDTHS[:2]),
        ("riscv64", ("rv64imafdc",), ()),
    ],
)
def test_what_the_cpu_lacks_is_left_out_with_a_reason(
    architecture: str, features: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    widths, lacking = vector_widths(architecture, features)
    assert widths == expected
    assert set(lacking) == set(WIDTHS) - set(expected)
    assert all(lacking.values())


def test_the_reason_names_the_extension() -> None:
    _, lacking = vector_widths("x86_64", ("fma",))
    assert lacking == {"512-bit": "this CPU has no avx512f"}
