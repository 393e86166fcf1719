"""Proxies: programs of machmeter's own that do the kind of work that applications do."""
