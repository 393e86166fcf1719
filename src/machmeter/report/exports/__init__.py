"""Results for other programs: tables, documents, archives."""
