"""The ledger of one revision's calls to language models: rows, and answers kept as artifacts."""

from dataclasses import asdict, dataclass

import sqlalchemy as sa
from pydantic import TypeAdapter

from configs.errors import MissingArtifactError, RateLimitedError, StoreUnavailableError
from models.documents import canonical_json
from models.gateway import Outcome, Request
from models.summarizer.chat import Completion
from pipeline.steps.job import Job
from pipeline.steps.services import unless_erased
from storage import ledger
from storage.artifacts import ArtifactStore
from storage.database import reading, transaction
from storage.refs import ArtifactRef

_COMPLETION = TypeAdapter(Completion)
_STEP = "summarize"
_TICK_S = 0.1  # so that nobody comes back a moment before its turn


@dataclass(frozen=True)
class RunLedger:
    """A `models.gateway.Ledger` whose entries and answers belong to one run.

    Answers lie among the run's derived artifacts and are erased with them; they answer equal
    requests of the same tenant only.
    """

    database: sa.Engine
    store: ArtifactStore
    job: Job
    run_usd: float | None
    tenant_usd_per_month: float | None
    keeps_answers: bool

    def remembered(self, request: Request) -> Completion | None:
        """Return the kept answer to an equal request of the tenant's, if there is one."""
        if not self.keeps_answers:
            return None
        with reading(self.database) as session:
            ref = ledger.find_answer(session, self.job.tenant, request.sha256)
        answer = None if ref is None else self._read(ref)
        if answer is not None:
            with transaction(self.database) as session:
                ledger.note_cached(session, self._call(request))
        return answer

    def admit(self, request: Request) -> str:
        """Note a call that is being made.

        Raises:
            OverBudgetError: it could cost more than is left (not retryable).
            RateLimitedError: its turn comes later, and is kept (retryable).
        """
        limits = ledger.Limits(
            requests_per_minute=request.requests_per_minute,
            tokens_per_minute=request.tokens_per_minute,
            run_usd=self.run_usd,
            tenant_usd_per_month=self.tenant_usd_per_month,
        )
        with transaction(self.database) as session:
            admission = ledger.admit(session, self._call(request), limits)
        if admission.wait_s > 0:
            raise RateLimitedError(
                "The limit of calls per minute is reached; this call waits for its turn.",
                {"retry_after_s": round(admission.wait_s + _TICK_S, 1)},
            )
        return admission.key

    def close(self, entry: str, outcome: Outcome, kept: Completion | None = None) -> None:
        """Note what became of a call; keep the answer before the row says where it is."""
        answer = None if kept is None or not self.keeps_answers else self._put(kept)
        with transaction(self.database) as session:
            ledger.close(
                session,
                entry,
                outcome.code,
                input_tokens=outcome.input_tokens,
                output_tokens=outcome.output_tokens,
                cost_usd=outcome.cost_usd,
                latency_s=outcome.latency_s,
                answer=answer,
            )

    def _call(self, request: Request) -> ledger.Call:
        return ledger.Call(
            run_id=self.job.run_id,
            revision=self.job.revision,
            step=_STEP,
            endpoint=request.endpoint,
            model=request.model,
            request_sha256=request.sha256,
            prompt_sha256=request.prompt_sha256,
            tokens=request.tokens,
            cost_usd=request.most_usd,
        )

    def _put(self, completion: Completion) -> ArtifactRef | None:
        """Keep an answer; where the store does not answer, it is used without being kept."""
        data = canonical_json(asdict(completion))
        try:
            ref = self.store.put_bytes(
                self.job.tenant,
                self.job.run_id,
                "model_answer",
                data,
                ext="json",
                media_type="application/json",
            )
        except StoreUnavailableError:
            return None
        return unless_erased(self.database, self.store, self.job.run_id, ref)

    def _read(self, ref: ArtifactRef) -> Completion | None:
        """Return a kept answer; one that is gone with its run is none."""
        try:
            return _COMPLETION.validate_json(self.store.read_bytes(ref))
        except MissingArtifactError:
            return None
