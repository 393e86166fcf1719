"""The catalogue: what can be measured, its parameters, metrics and limits."""
