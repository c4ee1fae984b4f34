"""The only code that speaks S3 and SQL (but for the engine's journal)."""
