"""`/api/v1`: large files, which go straight to the object store in parts."""

from fastapi import APIRouter

from pipeline.run_report import run_line
from review_ui.api_models import CompleteIn, UploadIn, UploadOut, UploadPart
from review_ui.uploads import begin, complete
from review_ui.visitors import VisitorDep
from review_ui.web import WebDep

router = APIRouter(prefix="/uploads", tags=["runs"])


@router.post("", status_code=201)
def create_upload(web: WebDep, visitor: VisitorDep, body: UploadIn) -> UploadOut:
    """Announce a file, and get an address to PUT each of its parts to, with no other header.

    The answers' `ETag` headers are what completes the upload. Addresses hold for 24 hours.
    """
    begun = begin(web, visitor, body)
    parts = [UploadPart(number=number, url=url) for number, url in enumerate(begun.urls, 1)]
    return UploadOut(
        upload=begun.id, part_bytes=begun.part_bytes, parts=parts, expires_at=begun.expires_at
    )


@router.post("/{upload_id}/complete", status_code=201)
def complete_upload(
    web: WebDep, visitor: VisitorDep, upload_id: str, body: CompleteIn
) -> dict[str, object]:
    """Begin the run of a file whose parts have been sent; the answer is that of `POST /runs`.

    The same call again answers with the same run. A file that cannot be used is refused and
    deleted. With missing or other parts (`input.parts`) the upload goes on.
    """
    return run_line(complete(web, visitor, upload_id, body))
