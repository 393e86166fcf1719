"""HTML pages: of a run, a machine, a comparison, a history."""
