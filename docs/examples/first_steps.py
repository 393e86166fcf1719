# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # First steps with `machmeter.api`
#
# Measure a few results, load the run, compare it with a published machine, read the findings and
# write a page: about a minute, and on first use the time to compile the kernels. Every function is
# described in `docs/api.md`.

# %%
import tempfile
from pathlib import Path

from machmeter import api

folder = Path(tempfile.mkdtemp())

# %% [markdown]
# ## Plan
#
# A request is data: what to measure, how precisely, for how long. `plan` says what it would launch.
# Three launches per layout are enough to look around; ten or more are needed for a decision.

# %%
request = api.request(
    "threads.sync",
    "network.latency",
    settings={"construct": ["barrier", "parallel"], "size": [8, 1024, 65536]},
    min_launches=3,
    max_launches=3,
    budget_seconds=30,
)
plan = api.plan(request)
f"{plan.launches_at_least} launches, about {plan.expected_seconds:.0f} s"

# %% [markdown]
# ## Measure
#
# Warnings and progress go to the listeners of a `Context`; without one, progress is silent and a
# warning is a Python warning.

# %%
run = api.measure(request, context=api.Context(notify=print))
run.folder

# %% [markdown]
# ## Results
#
# A run can be loaded at any time, by its folder, its ID, a unique prefix of it, or as `last`. Times
# are in seconds; `low` and `high` bound the 95 % interval over launches.

# %%
run = api.load(run.result.header.id)
for estimate in run.result.estimates:
    interval = f"[{estimate.low:.3g}, {estimate.high:.3g}]"
    print(f"{estimate.point.key}: {estimate.metric} {estimate.value:.3g} s {interval}")

# %% [markdown]
# A table for other tools: `pandas.DataFrame(api.rows(run))`, or raw samples with `samples=True`.

# %%
rows = api.rows(run)
api.export(run, folder / "results.csv")
len(rows), sorted(rows[0])[:8]

# %% [markdown]
# ## Compare with a published machine
#
# Only results with the same definition are compared; the others are listed with the reason. A ratio
# above 1 means that the second machine is better.

# %%
found = api.compare(["scalemp", run])
(comparison,) = found.comparisons
for result in comparison.results:
    ratio = result.by["as measured"]
    print(f"{result.name}: {ratio.ratio:.2f}x, {result.standing.value}")
for refusal in comparison.refusals:
    print(f"not comparable: {refusal.what}: {refusal.reason}")

# %% [markdown]
# ## Findings
#
# Each is a question that a study asks, answered by a rule from the results, with its confidence.

# %%
for finding in api.findings(run).findings:
    print(f"{finding.question} {finding.answer}")

# %% [markdown]
# ## Page
#
# One HTML file that loads nothing. With two machines or more it compares them with the first.

# %%
page = api.report(run, path=folder / "page.html").path
comparison_page = api.report("scalemp", run, path=folder / "comparison.html").path
page, comparison_page
