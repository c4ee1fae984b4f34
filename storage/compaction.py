"""Making the embedded store give back the bytes of what was deleted.

SeaweedFS only marks them, and would keep personal data that was erased on the disk until enough of
a volume is garbage.
"""

import ssl
from pathlib import Path

import httpx

from configs.errors import StoreUnavailableError
from storage import weed

_TIMEOUT_S = 300.0  # it copies what is left of every volume that has garbage


def reclaim(folder: Path) -> None:
    """Rewrite all volumes that hold deleted bytes, without these.

    Args:
        folder: of the embedded store; any process of the installation may ask.

    Raises:
        StoreUnavailableError: the server did not answer or has never run (retryable).
    """
    installation = weed.load(folder)
    if installation is None:
        raise StoreUnavailableError("The embedded object store has not been started.")
    url = f"https://{weed.HOST}:{installation.ports.master}/vol/vacuum"
    try:
        with httpx.Client(verify=_credentials(folder), timeout=_TIMEOUT_S) as client:
            client.get(url, params={"garbageThreshold": "0.000001"}).raise_for_status()
    except (httpx.HTTPError, OSError) as error:
        raise StoreUnavailableError(details={"operation": "reclaim"}) from error


def _credentials(folder: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
    context.load_cert_chain(folder / "weed.crt", folder / "weed.key")
    return context
