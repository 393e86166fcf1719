"""Prepared, typed views that pages, terminals and exports share: tables, axes, records."""
