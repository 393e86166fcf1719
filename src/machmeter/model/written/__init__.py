"""What people write: names that nothing has, and files."""
