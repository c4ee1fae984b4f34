"""Measures the product's stages on a folder of evaluation data (`kikigaki eval`)."""
