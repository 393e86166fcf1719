"""One start of IMB, as its head and its command line state it."""

from __future__ import annotations

import re

from msgspec import Struct

from machmeter.importing.names import reported_name
from machmeter.model.benchmark import Value

REDUCING = ("Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Accumulate")
_WINDOW = "256"
# Options that make another measurement; the others choose, order or bound what is run.
_CHANGING = (
    *("-off_cache", "-sync", "-root_shift", "-data_type", "-red_data_type", "-contig_type"),
    *("-imb_barrier", "-window_size", "-thread_level", "-multi", "-zero_size", "-warm_up"),
    "-mem_alloc_type",
)


class Suite(Struct, frozen=True):
    """One start of IMB: its version, its command line, the elements that it sends and reduces."""

    version: str
    """Of IMB."""
    part: str = ""
    """The part of the suite that its head names."""
    call: str = ""
    """Its command line."""
    sent: str = ""
    """Datatype of messages."""
    datatype: str = ""
    """Datatype of reductions."""

    @property
    def year(self) -> int:
        """The year that is its version; 0 for the versions before 2017."""
        first = self.version.split(".")[0]
        return int(first) if first.isdigit() and int(first) > 1000 else 0

    @property
    def megabyte(self) -> str:
        """What `Mbytes` are by version."""
        return "MB/s" if self.year >= 2018 else "MiB/s"

    def labels(self, test: str) -> dict[str, Value]:
        """What distinguishes results of IMB's own names: test, program, options that change it."""
        labels = {
            "test": f"{self.program} {test}".strip(),
            "options": self.options,
            "datatype": self.datatype if test in REDUCING else "",
        }
        return {name: reported_name(said) for name, said in labels.items() if said}

    @property
    def program(self) -> str:
        """Which of IMB's programs it is, by its command line or head; empty where neither says."""
        found = re.search(r"IMB-[\w-]{1,30}", (self.call.split() or [""])[0])
        part = re.search(r"\b(P2P|MT)\b", self.part)
        by_head = f"IMB-{part.group()}" if part else ""
        return found.group() if found else by_head

    @property
    def own_program(self) -> str:
        """The program, where its tests are not those of hosts' two ranks; else empty."""
        words = self.program.upper().split("-")
        if self.has("mem_alloc_type") and "GPU" not in words:
            return f"{self.program or 'IMB'}-GPU"
        return self.program if {"GPU", "P2P", "MT"} & {*words} else ""

    @property
    def options(self) -> str:
        """The options that make another measurement, in their order by name."""
        words = self.call.split()
        found = [" ".join(words[i : i + 2]) for i, w in enumerate(words) if w in _CHANGING]
        return " ".join(sorted(found))

    def value(self, option: str, otherwise: str) -> str:
        """What the command line gives for an option, `otherwise` where it does not."""
        words = self.call.split()
        given = [words[i + 1] for i, word in enumerate(words[:-1]) if word == f"-{option}"]
        return given[-1] if given else otherwise

    @property
    def window(self) -> int | None:
        """Messages in flight of Uniband and Biband; None where what is given is no number."""
        said = self.value("window_size", _WINDOW)
        return int(said) if re.fullmatch(r"[1-9]\d{0,8}", said) else None

    def has(self, option: str, value: str = "") -> bool:
        """Whether an option, with that value, stands on the command line."""
        words = self.call.split()
        at = [i for i, word in enumerate(words) if word == f"-{option}"]
        return any(not value or words[i + 1 : i + 2] == [value] for i in at)
