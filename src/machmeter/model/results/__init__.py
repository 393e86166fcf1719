"""What came of it: estimates, findings, comparisons, histories, runs, machines."""
