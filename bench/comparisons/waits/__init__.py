"""How long a person and a run wait for machmeter itself."""
