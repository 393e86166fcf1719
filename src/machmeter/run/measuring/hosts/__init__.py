"""What becomes of a run whose hosts change."""
