"""Machines, figures and claims of studies that were printed, each with its source."""
