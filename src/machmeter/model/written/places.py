"""Places within a document, as TOML writes them: `parameters."network.link.bandwidth".value`."""

from __future__ import annotations

import json
import re

_BARE = re.compile(r"[\w-]+", re.ASCII)


def joined(place: str, key: str) -> str:
    """The place of a key within that of its table (empty: the document)."""
    name = key if _BARE.fullmatch(key) else json.dumps(key)
    return f"{place}.{name}" if place else name
