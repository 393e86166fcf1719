"""The cache holds the programs of launches: every node of a job has to see it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from machmeter.api.context import Context
from machmeter.launch.launchers.registry import LAUNCHERS
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.model.results.run import Request
from machmeter.store.files import make_folder
from machmeter.text.numbers import count_text

_MOST_NAMED = 5


def refuse_unseen_cache(request: Request, context: Context) -> None:
    """Raise MachineLacksError where nodes of the job do not see the cache of this one: every launch
    over them would hang or fail after minutes of compiling."""
    hosts = request.layout_options.hosts
    if len(hosts) < 2:
        return
    launcher, cache = LAUNCHERS[request.layout_options.launcher], make_folder(context.cache)
    try:
        # Of a name that no node has looked for before.
        with tempfile.NamedTemporaryFile(prefix="seen-", dir=cache) as file:
            without = launcher.hosts_without(Path(file.name), hosts, context.environment)
    except OSError as error:
        raise storage_error(error, cache) from error
    if without:
        named = ", ".join(without[:_MOST_NAMED]) + ", ..." * (len(without) > _MOST_NAMED)
        nodes = count_text(len(hosts), "node", "nodes")
        raise MachineLacksError(
            f"{len(without):,} of {nodes} do not see the cache {cache} of {hosts[0]}: {named}",
            "have MACHMETER_CACHE name a folder that login and compute nodes share",
        )
