"""In which widths a CPU has fused multiply-adds, and why not in others. Pure."""

from __future__ import annotations

from collections.abc import Collection

from machmeter.benchmarks.compute import WIDTHS

SCALAR = WIDTHS[0]
# What each width needs of the CPU, by the names of the kernel.
_X86_NEEDS = {SCALAR: "fma", "128-bit": "fma", "256-bit": "fma", "512-bit": "avx512f"}
_ARM = "aarch64"
_X86 = "x86_64"


def vector_widths(
    architecture: str, features: Collection[str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The widths with fused multiply-adds on such a CPU, and why the others are not measured.

    features: instruction set extensions by the kernel's names.
    """
    reasons = {width: _lacks(width, architecture, features) for width in WIDTHS}
    available = tuple(width for width, reason in reasons.items() if not reason)
    return available, {width: reason for width, reason in reasons.items() if reason}


def _lacks(width: str, architecture: str, features: Collection[str]) -> str:
    if architecture == _X86:
        needed = _X86_NEEDS[width]
        return "" if needed in features else f"this CPU has no {needed}"
    if architecture == _ARM:
        # Every 64-bit Arm CPU has NEON, of 128 bits.
        return "" if width in (SCALAR, "128-bit") else f"NEON has no {width} registers"
    return f"there is no kernel for {architecture}"
