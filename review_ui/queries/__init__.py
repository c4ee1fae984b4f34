"""Fills the pages' contexts from storage, the engine's history and the stored documents."""
