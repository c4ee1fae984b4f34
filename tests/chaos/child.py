"""What a worker's child processes load."""

from tests.chaos.names import CPU


def prepare(resource: str) -> None:
    """Get ready for a resource (`child_setup`): programs need nothing, real runs their services."""
    if resource == CPU:
        return
    from tests import scripted

    scripted.install_in_child(resource)
