"""Code of NVIDIA's GPUs: what a cubin, an ELF file, says of its kernels."""

from __future__ import annotations

import struct
from pathlib import Path

from msgspec import Struct

MACHINE = 190
"""EM_CUDA, of the ELF gABI."""
_LIST_OF_WORDS = 4
# Attributes of .nv.info, as cuobjdump(1) names them: EIATTR_FRAME_SIZE, EIATTR_REGCOUNT.
_FRAME, _REGISTERS = 0x11, 0x2F
_FUNCTION = 2
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")


class CompiledKernel(Struct, frozen=True):
    """What a kernel takes of a multiprocessor."""

    registers: int
    """Of an item."""
    local_bytes: int
    """Of memory, for what its registers do not hold."""


def architecture_of(path: Path) -> int:
    """That a cubin is for: 90 is `sm_90`."""
    data = path.read_bytes()
    assert data[:4] == b"\x7fELF"
    assert struct.unpack_from("<H", data, 18) == (MACHINE,)
    (flags,) = struct.unpack_from("<I", data, 48)
    # The first byte, in files of CUDA 12.8 and later the second one.
    return int(flags >> 8 if data[8] >= 8 else flags) & 0xFF


def kernels_of(path: Path) -> dict[str, CompiledKernel]:
    """The kernels of a cubin."""
    data = path.read_bytes()
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count, of_names = struct.unpack_from("<HHH", data, 58)
    sections = [_SECTION.unpack_from(data, start + i * size) for i in range(count)]
    by_name = {_text(data, sections[of_names][4] + one[0]): one for one in sections}
    symbols = by_name[".symtab"]
    strings = sections[symbols[6]][4]
    names = {}
    for i in range(symbols[5] // _SYMBOL.size):
        name, kind, *_ = _SYMBOL.unpack_from(data, symbols[4] + i * _SYMBOL.size)
        if kind & 0xF == _FUNCTION:
            names[i] = _text(data, strings + name)
    values = _attributes(data, by_name[".nv.info"])
    return {
        name: CompiledKernel(values[i, _REGISTERS], values[i, _FRAME])
        for i, name in names.items()
        # Not of functions that kernels call, such as a division.
        if (i, _REGISTERS) in values
    }


def _attributes(data: bytes, section: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """Values of symbols, by number of symbol and attribute."""
    found = {}
    at, end = section[4], section[4] + section[5]
    while at < end:
        form, attribute, size = struct.unpack_from("<BBH", data, at)
        at += 4
        if form == _LIST_OF_WORDS:
            if size == 8:
                symbol, value = struct.unpack_from("<II", data, at)
                found[symbol, attribute] = value
            at += size
    return found


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()
