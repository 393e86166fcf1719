"""What commands print that no page shows."""
