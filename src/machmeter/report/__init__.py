"""What a person sees of a run: the summary in the terminal, the page, exports, charts.

Nothing is imported here: `page` and `charts` load libraries, which a command that draws nothing
need not wait for.
"""
