"""How processes get to their hosts: a launcher a file, each registered by its name.

A launcher that is added (flux, PBS) is a file here and a line in `LAUNCHERS`.
"""
