"""Pure statistics: from raw samples to estimates, comparisons and knees."""
