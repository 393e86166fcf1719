"""In which widths a CPU has fused multiply-adds, and why not in others. Pure."""

from __future__ import annotations

from collections.abc import Collection

from machmeter.benchmarks.compute import WIDTHS

SCALAR = WIDTHS[0]
# What each width needs of the CPU, by the names of the kernel.
_X86_NEEDS = {SCALAR: "fma", "128-bit": "fma", "256-bit": "fma", "512-bit": "avx512f"}
_ARM = "aarch64"
_SVE = "sve"
_X86 = "x86_64"


def vector_widths(
    architecture: str, features: Collection[str], scalable_bits: int = 0
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The widths with fused multiply-adds on such a CPU, and why the others are not measured.

    features: instruction set extensions by the kernel's names; scalable_bits: the length of SVE
    registers, 0 where it is unknown.
    """
    reasons = {width: _lacks(width, architecture, features, scalable_bits) for width in WIDTHS}
    available = tuple(width for width, reason in reasons.items() if not reason)
    return available, {width: reason for width, reason in reasons.items() if reason}


def _lacks(width: str, architecture: str, features: Collection[str], scalable_bits: int) -> str:
    if architecture == _X86:
        needed = _X86_NEEDS[width]
        return "" if needed in features else f"this CPU has no {needed}"
    if architecture == _ARM:
        return _lacks_on_arm(width, scalable_bits if _SVE in features else 0)
    return f"there is no kernel for {architecture}"


def _lacks_on_arm(width: str, scalable_bits: int) -> str:
    # Every 64-bit Arm CPU has NEON, of 128 bits.
    if width in (SCALAR, "128-bit", f"{scalable_bits}-bit"):
        return ""
    if scalable_bits:
        return f"NEON has no {width} registers, those of SVE have {scalable_bits} bits"
    return f"NEON has no {width} registers, and SVE is not there"
