"""The web side: pages for people, an API for scripts.

It loads no speech, redaction or language model.
"""
