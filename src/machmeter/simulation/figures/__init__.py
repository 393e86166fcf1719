"""The printed figures of machines: what each is for the twin, and how the twin states it."""
