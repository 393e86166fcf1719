"""What nodes may have in common, by what their hosts say of themselves and by their names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from machmeter.model.plan.observed_host import ObservedHost

BEGINNING = "a name that begins with"
"""The attribute of those in one rack or chassis, where names have the number of it."""
# `r12c3n07.site` begins with r12c3. What has one number, such as `nid0123`, says no place.
_PLACED = re.compile(r"(.*\d)\D+\d+\D*")
_STEPS_OF_MEMORY = 8  # from one power of two to the next: firmware takes some, not always as much


def host_attributes(
    names: Sequence[str], hosts: Sequence[ObservedHost]
) -> dict[str, dict[int, str]]:
    """By attribute the value of each node, its number in `names`; what is not known is left out.

    names: the host of each node, none of them twice, else nothing is known; hosts: what they say.
    """
    if len(set(names)) < len(names):
        return {}
    said = {host.name: _said(host) for host in hosts}
    found: dict[str, dict[int, str]] = {}
    for node, name in enumerate(names):
        for attribute, value in {**said.get(name, {}), **_place(name)}.items():
            found.setdefault(attribute, {})[node] = value
    return found


def differing_attributes(
    names: Sequence[str], hosts: Sequence[ObservedHost]
) -> dict[str, dict[int, str]]:
    """Those of `host_attributes` in which nodes differ."""
    found = host_attributes(names, hosts)
    return {attribute: of for attribute, of in found.items() if len(set(of.values())) > 1}


def _said(host: ObservedHost) -> Mapping[str, str]:
    more = {}
    if host.memory_bytes:
        steps = round(_STEPS_OF_MEMORY * math.log2(host.memory_bytes / 2**30))
        more["memory of about"] = f"{2 ** (steps / _STEPS_OF_MEMORY):.3g} GiB"
    if host.kernel_started:
        more["boot day"] = datetime.fromtimestamp(host.kernel_started, UTC).date().isoformat()
    return {**host.kind, **more}


def _place(name: str) -> Mapping[str, str]:
    found = _PLACED.fullmatch(name.partition(".")[0])
    return {BEGINNING: found[1]} if found else {}
