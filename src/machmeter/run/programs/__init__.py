"""The compiled programs of a run, those of earlier runs, and which may be started."""
