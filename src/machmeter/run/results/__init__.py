"""A finished or interrupted run as reports need it."""
