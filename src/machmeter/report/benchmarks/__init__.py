"""Headline results, tables, charts and definitions of the benchmarks."""
