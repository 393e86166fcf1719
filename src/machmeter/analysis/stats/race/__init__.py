"""Which of several candidates is best: who drops out, and how probably the first is best."""
