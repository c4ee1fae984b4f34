"""The `kikigaki` command.

Each file holds one group of commands. A command imports what it needs when it runs, so that
`--help` and the light commands answer at once.
"""

from pipeline.cli.app import main

__all__ = ["main"]
