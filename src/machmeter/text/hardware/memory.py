"""Channels of memory as text."""

from __future__ import annotations

from machmeter.model.machine import MemoryChannels
from machmeter.text.numbers import count_text


def channels_text(channels: MemoryChannels) -> str:
    """`16 channels (EDAC), 3,200 MT/s (DMI)`; empty where nothing is known of them."""
    count = count_text(channels.count, "channel", "channels") if channels.count else ""
    rate = f"{channels.transfers / 1e6:,.0f} MT/s" if channels.transfers else ""
    read = ((count, channels.count_from), (rate, channels.transfers_from))
    return ", ".join(f"{text} ({source})" for text, source in read if text)
