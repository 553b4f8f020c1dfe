"""Reports: what tables and pages show of scores and comparisons, and how they show it."""
