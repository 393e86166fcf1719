"""Network adapters as text, and what holds one back."""

from __future__ import annotations

from machmeter.model.machine import Adapter, PcieLink
from machmeter.model.units import BYTES_PER_SECOND_ONE_WAY, format_value

_GENERATIONS = {2.5e9: "1.0", 5e9: "2.0", 8e9: "3.0", 16e9: "4.0", 32e9: "5.0", 64e9: "6.0"}


def adapter_text(adapter: Adapter) -> str:
    """`mlx5_0 InfiniBand 200 Gbit/s, PCIe 4.0 x16`."""
    rate = f" {adapter.bits_per_second / 1e9:g} Gbit/s" if adapter.bits_per_second else ""
    slot = f", {pcie_text(adapter.slot)}" if adapter.slot else ""
    return f"{adapter.name} {adapter.network}{rate}{slot}" + ", down" * (not adapter.up)


def pcie_text(link: PcieLink) -> str:
    """`PCIe 4.0 x16`; a rate that no generation has as it is."""
    generation = _GENERATIONS.get(link.transfers, f"at {link.transfers / 1e9:g} GT/s")
    return f"PCIe {generation} x{link.lanes}"


def held_back_text(adapter: Adapter) -> tuple[str, str]:
    """That the slot of an adapter is slower than the adapter can be, and what to do about it; empty
    where it is not."""
    slot, able, board = adapter.slot, adapter.slot_of_adapter, adapter.slot_of_board
    if slot is None or able is None or not adapter.is_held_back:
        return "", ""
    most = format_value(slot.bytes_per_second, BYTES_PER_SECOND_ONE_WAY)
    could = f"{pcie_text(able)}, {format_value(able.bytes_per_second, BYTES_PER_SECOND_ONE_WAY)}"
    found = f"{adapter.name} runs at {pcie_text(slot)}, at most {most}; it can run at {could}"
    if board is not None and board.is_below(able):
        return found, f"put it into a faster slot: its own is {pcie_text(board)}"
    return found, "seat it again, and look at what the BIOS sets for its slot"
