"""Reports of scores and comparisons: tables, charts and pages."""
