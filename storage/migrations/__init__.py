"""Migrations: `env.py` runs them, `versions/` holds them."""
