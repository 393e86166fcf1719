"""Scripts that run in the environment of a tool: JSON in, JSON out; machmeter is not there."""
