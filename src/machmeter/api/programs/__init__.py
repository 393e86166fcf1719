"""Programs that are not ours: explored, described, checked."""
