"""notify: tell the configured receiver of a publication, once."""

from dataclasses import dataclass

from sqlmodel import Session

from pipeline import webhook
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job
from pipeline.steps.services import services
from storage import publications
from storage.database import reading


@dataclass(frozen=True)
class Notified:
    """Who was told, under which idempotency key; an empty host where nobody is to be told."""

    host: str = ""
    key: str = ""


@guarded
def notify(job: Job) -> Notified:
    """Call the webhook with ids, hashes and a link; a repeated call has the same key.

    Raises:
        TransientError: the receiver did not answer or asked to wait (retryable).
        WebhookRefusedError: it refused (not retryable).
        PolicyError: its address may not be called (not retryable).

    Effects: one call; the receiver drops a second one by its idempotency key.
    Personal data: none.
    """
    options = services().options(job).webhook
    if options is None:
        return Notified()
    with reading(services().database) as session:
        publication = publications.get_publication(session, job.run_id, job.revision)
    key = f"{publication.review_sha256}:webhook"
    payload: dict[str, object] = {
        "event": "publication.published",
        "tenant": job.tenant,
        "run": job.run_id,
        "revision": job.revision,
        "review_sha256": publication.review_sha256,
        "published_at": publication.published_at.isoformat(),
        "url": f"{options.base_url.rstrip('/')}/p/{job.run_id}/" if options.base_url else None,
    }
    policy = webhook.WebhookPolicy(allow_private=options.allow_private)
    delivery = webhook.notify(options.url, options.secret, payload, key, policy)
    return Notified(delivery.host, key)


def record_notice(job: Job, session: Session, notified: Notified) -> None:
    """Record that the receiver was told (commit of the step)."""
    if notified.key:
        publications.record_notification(
            session,
            key=notified.key,
            run_id=job.run_id,
            revision=job.revision,
            host=notified.host,
        )
