"""The AI models, one adapter a file: bytes, paths or text in, typed documents out."""
