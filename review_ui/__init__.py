"""The web side: pages for people, an API for scripts. Loads no speech, redaction or language model."""
