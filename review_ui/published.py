"""Files of a publication as answers, before and after it is published: no script runs in them."""

import base64
import hashlib
import re

from fastapi import Request
from fastapi.responses import Response

from review_ui.files import stored_file
from review_ui.security import published_csp
from storage.artifacts import ArtifactStore
from storage.refs import ArtifactRef

_STYLE = re.compile(rb"<style[^>]*>(.*?)</style>", re.DOTALL)
_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "summary.md": "text/markdown; charset=utf-8",
    "captions.vtt": "text/vtt; charset=utf-8",
    "audio.opus": "audio/ogg",
}


def published_response(
    request: Request, store: ArtifactStore, ref: ArtifactRef, name: str
) -> Response:
    """Answer with one file of a publication.

    Raises:
        IntegrityError: other bytes than recorded, or none (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    styles = style_hashes(store.read_bytes(ref)) if name == "index.html" else ""
    headers = {
        "Content-Security-Policy": published_csp(styles),
        "X-Frame-Options": "SAMEORIGIN",
        "Cache-Control": "no-cache",
    }
    media_type = _TYPES.get(name, "application/json")
    return stored_file(request, store, ref, media_type=media_type, headers=headers)


def style_hashes(html: bytes) -> str:
    """Return the sources for `style-src` that allow exactly the styles within a page."""
    digests = [base64.b64encode(hashlib.sha256(s).digest()).decode() for s in _STYLE.findall(html)]
    return " ".join(f"'sha256-{digest}'" for digest in digests)
