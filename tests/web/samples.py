"""One filled context for every page, with fictional people, for rendering each template."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from models.documents import Coverage, place_parts
from review_ui import contexts as c
from review_ui import review_contexts as v
from review_ui import run_contexts as r
from tests.web.engine_samples import engine_pages

NOW = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
SHA = "9f2c41d07be85aa31c6e0b7d94f28e5160cd3a77b1e94f8820ab56dd03c7e1f4"
OTHER_SHA = "41b7c0aa9e2d53f18b6c74d9e0f3a2158c7d6b4e9f0a1b2c3d4e5f60718293a4"
COVERAGE = Coverage(
    container_s=754.2,
    decoded_s=754.2,
    speech_s=688.0,
    transcribed_s=684.1,
    model_input_ratio=1.0,
    cited_ratio=0.42,
)
VIEWER = c.Viewer(name="sato", role="admin", can_edit=True, can_administer=True)


def frame(section: str = "runs", *, signed_in: bool = True) -> c.Frame:
    return c.Frame(viewer=VIEWER if signed_in else None, section=section, waiting=3, path="/runs")


def head(status: str = "awaiting_review") -> r.RunHead:
    return r.RunHead(
        id="run_01kc3v9q2m7x",
        title="Planning call, spring campaign",
        file_name="会議録音 😀 (最終).wav",
        status=status,
        language="en",
        requested_language="auto",
        template="default",
        uploader="mori",
        source_bytes=24_131_072,
        media_type="audio/x-wav",
        created_at=NOW - timedelta(hours=3),
        revision=2,
        tenant="default",
        has_publication=status == "published",
        has_review=True,
    )


def row(title: str, status: str, *, error: str | None = None) -> c.RunRow:
    return c.RunRow(
        id="run_01kc3v9q2m7x",
        title=title,
        file_name="call.m4a",
        status=status,
        language="ja" if status == "failed" else "en",
        uploader="mori",
        created_at=NOW - timedelta(hours=3),
        revision=1,
        duration_s=754.2,
        error_code=error,
    )


def rows() -> list[c.RunRow]:
    return [
        row("Planning call, spring campaign", "awaiting_review"),
        row("市民相談窓口 2月", "processing"),
        row("Interview 14", "published"),
        row("Board minutes, February", "changes_requested"),
        row("voice memo", "failed", error="input.no_audio_track"),
        row("<script>alert(1)</script>", "expired"),
    ]


def step(name: str, status: str, duration: float | None = None, **more: object) -> r.StepView:
    values: dict[str, object] = {
        "name": name,
        "count": 1,
        "many": False,
        "status": status,
        "attempts": 1,
        "started_at": NOW,
        "ended_at": NOW,
        "duration_s": duration,
        "error_code": None,
    }
    return r.StepView(**(values | more))  # type: ignore[arg-type]  # a table of test values


def progress(*, finished: bool = False, failed: bool = False) -> r.ProgressView:
    steps = [
        step("probe", "succeeded", 0.4),
        step("transcribe", "succeeded", 41.8, many=True),
        step("transcribe", "retrying", 12.0, many=True, count=2, attempts=2),
        step("join_transcript", "pending"),
        step("anonymize", "failed" if failed else "running", 3.2),
        step("bleep", "waiting", None, waiting_until=NOW + timedelta(hours=71)),
        step("summarize", "cancelled"),
    ]
    return r.ProgressView(
        run_id="run_01kc3v9q2m7x",
        status="failed" if failed else "processing",
        steps=steps,
        done=2,
        total=14,
        coverage=COVERAGE,
        error_code="input.no_audio_track" if failed else None,
        error_message="The file has no audio track." if failed else None,
        finished=finished,
        digest="d1",
    )


def run_page(*, finished: bool = False, failed: bool = False) -> r.RunPage:
    revisions = [
        r.RevisionView(2, "summary_edit", "sato", NOW, "open", SHA),
        r.RevisionView(1, "upload", "mori", NOW - timedelta(hours=3), "superseded", OTHER_SHA),
    ]
    return r.RunPage(
        run=head("failed" if failed else "processing"),
        progress=progress(finished=finished, failed=failed),
        revisions=revisions,
        cost=r.CostView(calls=6, audio_s=754.2, input_tokens=10412, output_tokens=902, cost_usd=0),
        calls=[
            r.CallView("transcribe", "base", "", "answered", 0, 0, 0.0, 61.2, None),
            r.CallView("summarize", "m", "primary", "transient", 0, 0, 0.0, 5.1, SHA),
            r.CallView("summarize", "n", "fallback-1", "answered", 10412, 902, 0.0042, 9.5, SHA),
        ],
        can_reopen=finished,
    )


_LINES = (
    (0.0, "Good morning everyone, this is ", ("[PERSON_1]", "PERSON"), " from the campaign team."),
    (5.2, "Before we begin, ", ("[PERSON_2]", "PERSON"), " could not join today."),
    (11.9, "The spring campaign moves from the second to the ninth of April.",),
    (18.4, "The printers in ", ("[LOCATION_1]", "LOCATION"), " need the files one week before."),
    (26.0, "You can reach them at ", ("[PHONE_NUMBER_1]", "PHONE_NUMBER"), " or write to ",
     ("[EMAIL_ADDRESS_1]", "EMAIL_ADDRESS"), "."),
    (34.7, "The invoice goes to account ", ("[BANK_ACCOUNT_1]", "BANK_ACCOUNT"), ", as always."),
    (41.3, "We agreed to keep the budget at forty thousand and to drop the radio spots.",),
    (52.8, "Thank you for watching.",),
    (58.1, "So the open question is who checks the translations.",),
    (64.6, ("[PERSON_1]", "PERSON"), " will ask the Tokyo office by Friday."),
)  # fmt: skip


def segments() -> list[v.SegmentView]:
    return [
        v.SegmentView(
            id=index,
            start=float(str(line[0])),
            end=float(str(line[0])) + 5,
            pieces=_pieces(line[1:]),
            suspect=("known_phrase", "no_speech_prob") if index == 8 else (),
            speaker="Speaker 1" if index == 1 else None,
            location=None,
            cited=index in (3, 4),
            flagged=index == 8,
        )
        for index, line in enumerate(_LINES, 1)
    ]


def _pieces(parts: tuple[object, ...]) -> list[v.Piece]:
    pieces, at = [], 0
    for part in parts:
        text, kind = part if isinstance(part, tuple) else (str(part), None)
        pieces.append(v.Piece(text, kind, at, at + len(text)))
        at += len(text)
    return pieces


def cite(segment: int) -> v.Citation:
    start = float(str(_LINES[segment - 1][0]))
    return v.Citation(segment, start, start + 5)


def summary() -> v.SummaryView:
    abstract = [
        v.SentenceView("abstract[0]", "The spring campaign moves to 9 April.", [cite(3)]),
        v.SentenceView(
            "abstract[1]", "The budget stays at 40,000; radio spots are dropped.", [cite(7)]
        ),
    ]
    points = [
        v.SentenceView(
            "key_points[0]", "Printers need the files one week earlier.", [cite(4), cite(5)]
        ),
        v.SentenceView(
            "key_points[1]", "Translations have no reviewer yet.", [cite(9)], findings=1
        ),
    ]
    actions = [
        v.SentenceView(
            "action_items[0]", "Ask the Tokyo office.", [cite(10)], owner="[PERSON_1]", due="Friday"
        )
    ]
    return v.SummaryView(
        method="llm",
        language="en",
        template="meeting",
        template_title="Meeting minutes",
        fallback_reason=None,
        headline="Campaign moves a week to 9 April, budget unchanged",
        sections=[
            ("abstract", abstract),
            ("key_points", points),
            ("decisions", []),
            ("action_items", actions),
        ],
        chapters=[
            v.ChapterView("chapters[0]", "Dates and printers", cite(1)),
            v.ChapterView("chapters[1]", "Budget", cite(7)),
        ],
    )


def review(status: str = "open", verdict: str = "warn", *, expired: bool = False) -> v.ReviewView:
    decided = status in {"approved", "rejected"}
    return v.ReviewView(
        sha256=SHA,
        status=status,
        verdict=verdict,
        opened_at=NOW,
        deadline=NOW + timedelta(hours=70),
        expired=expired,
        revision=2,
        decided_by="sato" if decided else None,
        decided_at=NOW if decided else None,
        comment="Checked against the recording." if decided else "",
        override_reason="The number was read out twice." if decided else None,
    )


def findings() -> list[v.FindingView]:
    return [
        v.FindingView(
            "suspect",
            "warn",
            v.Place("segment", 8, href="#s8"),
            "This phrase is often invented.",
            [cite(8)],
        ),
        v.FindingView(
            "citations",
            "info",
            v.Place("key_points_item", 2, href="#key_points[1]"),
            "The evidence says this only in part.",
            [cite(9)],
        ),
        v.FindingView(
            "coverage",
            "block",
            v.Place("audio", href="#coverage"),
            "4 s of speech have no text; the limit is 3 s.",
            [],
        ),
    ]


def review_page(
    status: str = "open",
    verdict: str = "warn",
    *,
    expired: bool = False,
    error: str | None = None,
) -> v.ReviewPage:
    return v.ReviewPage(
        run=head(),
        review=review(status, verdict, expired=expired),
        kind="speech",
        duration_s=754.2,
        has_audio=True,
        segments=segments(),
        legend=[
            v.LegendEntry("PERSON", 3),
            v.LegendEntry("LOCATION", 1),
            v.LegendEntry("PHONE_NUMBER", 1),
            v.LegendEntry("EMAIL_ADDRESS", 1),
            v.LegendEntry("BANK_ACCOUNT", 1),
        ],
        summary=summary(),
        findings=findings(),
        entailment_model="nli-harbour",
        coverage=COVERAGE,
        artifacts=[("redacted_transcript", SHA), ("rendered/index.html", OTHER_SHA)],
        entity_types=["PERSON", "ADDRESS", "PHONE_NUMBER"],
        can_decide=status == "open" and not expired,
        can_edit=status != "superseded",
        can_override=True,
        error=error,
    )


def document_review_page() -> v.ReviewPage:
    """The review of a document, of a run that was ended meanwhile."""
    pages = ["page 3", "page 12, heading 2", "page 12, paragraph 14", "slide 112, paragraph 14"]
    places = ["header", "heading 12", "paragraph 112", *pages, "row 2", "quote 1"]
    found = [
        replace(one, location=place, form=place_parts(place)[-1][0])
        for one, place in zip(segments(), places, strict=False)
    ]
    return replace(
        review_page(),
        run=head("terminated"),
        kind="document",
        has_audio=False,
        segments=found,
        can_decide=False,
        ended=True,
    )


def publication_page() -> r.PublicationPage:
    files = [
        r.PublishedFileView("index.html", SHA, 18_220),
        r.PublishedFileView("audio.opus", OTHER_SHA, 2_418_220),
        r.PublishedFileView("statement.json", SHA, 4_120),
    ]
    return r.PublicationPage(
        run=head("published"),
        publication=r.PublicationView(
            revision=2,
            review_sha256=SHA,
            published_at=NOW,
            approver="sato",
            comment="Checked against the recording.",
            override_reason=None,
            files=files,
            url="/p/run_01kc3v9q2m7x/",
        ),
    )


def operations_page(*, empty: bool = False) -> c.OperationsPage:
    if empty:
        return c.OperationsPage([], [], [], [], 0, None, None, None, 0, 0, 0.0)
    return c.OperationsPage(
        statuses=[("published", 128), ("awaiting_review", 3), ("processing", 2), ("failed", 4)],
        steps=[
            c.StepNumbers("probe", 137, 4, 0, 0.4, 1.9),
            c.StepNumbers("transcribe", 402, 0, 7, 38.2, 140.0),
            c.StepNumbers("anonymize", 133, 0, 0, 6.1, 22.0),
            c.StepNumbers("summarize", 133, 1, 12, 4.9, 61.0),
        ],
        models=[
            c.ModelNumbers("faster-whisper base", "transcribe", 402, 98_321.0, 0, 0, 0.0),
            c.ModelNumbers("writer-large", "summarize", 140, 0.0, 1_204_331, 88_120, 3.41),
        ],
        runs=[
            c.CostlyRun(
                "run_01kc3v9q2m7x", "Board minutes, February", "minutes.pdf", 12, 0.0912, 5400.0
            )
        ],
        waiting=3,
        oldest_waiting_s=180_000,
        median_decision_s=5400,
        slowest_decision_s=201_000,
        decided=131,
        expired=2,
        cost_usd=3.41,
    )


def sentence_forms() -> dict[str, list[v.SentenceForm]]:
    return {
        "abstract": [
            v.SentenceForm("The spring campaign moves to 9 April.", "3"),
            v.SentenceForm("", ""),
        ],
        "key_points": [v.SentenceForm("Printers need the files one week earlier.", "4, 5")],
        "decisions": [v.SentenceForm("", "")],
        "action_items": [v.SentenceForm("Ask the Tokyo office.", "10", "[PERSON_1]", "Friday")],
    }


def summary_edit_page(*, conflict: bool = False) -> v.SummaryEditPage:
    return v.SummaryEditPage(
        run=head(),
        base=v.SummaryBase(SHA, "Planning call, spring campaign"),
        form=v.SummaryForm(
            "Planning call, spring campaign", "Campaign moves a week to 9 April", sentence_forms()
        ),
        segments=segments(),
        errors=["Somebody saved another revision while you were writing."] if conflict else [],
        theirs=[("removed", "The budget rises."), ("added", "The budget stays.")]
        if conflict
        else [],
        theirs_revision=3 if conflict else 0,
    )


def redaction_edit_page(*, errors: bool = False) -> v.RedactionEditPage:
    return v.RedactionEditPage(
        run=head(),
        base_sha256=SHA,
        segment=segments()[4],
        entity_types=["PERSON", "ADDRESS"],
        places={"[PHONE_NUMBER_1]": 1, "[EMAIL_ADDRESS_1]": 4},
        errors=["“Yamada” does not stand in this segment."] if errors else [],
        additions=[("Yamada", "PERSON"), ("", "PERSON")],
    )


def difference_page(reason: str = "conflict.stale_review") -> v.DifferencePage:
    return v.DifferencePage(
        run=head(),
        reason=reason,
        shown_sha256=OTHER_SHA,
        current=review("approved"),
        changed=[("summary", SHA, OTHER_SHA), ("rendered/captions.vtt", "", SHA)],
        lines=[("removed", "The budget rises."), ("added", "The budget stays.")],
        comment="Looks right to me.",
    )


def inbox_page(*, empty: bool = False) -> c.InboxPage:
    if empty:
        return c.InboxPage([], [], NOW)
    waiting = [
        c.WaitingReview(
            run_id="run_01kc3v9q2m7x",
            title=title,
            file_name="planning_call_of_the_spring_campaign_2026-02-27_final_version_with_corrections.m4a",
            language=language,
            uploader="mori",
            verdict=verdict,
            opened_at=NOW - timedelta(hours=5),
            deadline=NOW + timedelta(hours=hours),
            duration_s=754.2,
            findings=findings_count,
        )
        for title, language, verdict, hours, findings_count in (
            ("Planning call, spring campaign", "en", "warn", 2, 3),
            ("市民相談窓口 2月", "ja", "pass", 41, 0),
            ("客戶訪談，第三場", "zh", "block", 66, 1),
        )
    ]
    return c.InboxPage(waiting, [row("Board minutes, February", "changes_requested")], NOW)


def pages() -> list[tuple[str, str, object, c.Frame]]:
    """Return (name of the sample, template, context, frame) for every page and state."""
    upload = c.UploadPage(["default", "meeting"], 2_000_000_000)
    refused = c.UploadPage(
        ["default"],
        2_000_000_000,
        accepted=[c.Accepted("call.m4a", "run_1")],
        refused=[c.Refusal("<img src=x>.mp3", "input.empty", "The file is empty (0 bytes).")],
    )
    kept = [("base_sha256", SHA), ("headline", "Shelves & more"), ("abstract.text", "Two\nlines")]
    ended = c.SessionEndedPage("/runs/run_1/summary", can_resend=True, fields=kept)
    error = c.ErrorPage(404, "not_found", "There is nothing at this address.", "req_1")
    out = frame("", signed_in=False)
    return [
        ("sign_in", "pages/sign_in.html", c.SignInPage("", "/"), out),
        ("sign_in_wrong", "pages/sign_in.html", c.SignInPage("sato", "/", "Not right."), out),
        ("sign_in_link", "pages/sign_in_link.html", c.SignInLinkPage(), out),
        ("session_ended", "pages/session_ended.html", ended, out),
        ("session_ended_upload", "pages/session_ended.html",
         c.SessionEndedPage("/upload", can_resend=False), out),
        ("progress", "pages/progress.html", progress(), frame()),
        ("error", "pages/error.html", error, frame("")),
        ("upload", "pages/upload.html", upload, frame("upload")),
        ("upload_refused", "pages/upload.html", refused, frame("upload")),
        ("runs", "pages/runs.html", c.RunsPage(rows(), None, ["failed"], "x", False), frame()),
        ("runs_none", "pages/runs.html", c.RunsPage([], None, ["failed"], None, False), frame()),
        ("runs_filtered", "pages/runs.html", c.RunsPage([], "failed", ["failed"], None, True),
         frame()),
        ("run", "pages/run.html", run_page(), frame()),
        ("run_failed", "pages/run.html", run_page(finished=True, failed=True), frame()),
        ("inbox", "pages/inbox.html", inbox_page(), frame("inbox")),
        ("inbox_empty", "pages/inbox.html", inbox_page(empty=True), frame("inbox")),
        ("review", "pages/review.html", review_page(), frame("inbox")),
        ("review_blocked", "pages/review.html", review_page(verdict="block"), frame("inbox")),
        ("review_expired", "pages/review.html", review_page("expired", expired=True),
         frame("inbox")),
        ("review_document", "pages/review.html", document_review_page(), frame("inbox")),
        ("review_decided", "pages/review.html", review_page("approved", "pass"), frame("inbox")),
        ("preview", "pages/preview.html", v.PreviewPage(head(), SHA, 2, ["index.html"]), frame()),
        ("preview_earlier", "pages/preview.html",
         v.PreviewPage(head(), SHA, 1, ["index.html"], is_earlier=True), frame()),
        ("summary_edit", "pages/summary_edit.html", summary_edit_page(), frame("inbox")),
        ("summary_conflict", "pages/summary_edit.html", summary_edit_page(conflict=True),
         frame("inbox")),
        ("redaction_edit", "pages/redaction_edit.html", redaction_edit_page(), frame("inbox")),
        ("redaction_wrong", "pages/redaction_edit.html", redaction_edit_page(errors=True),
         frame("inbox")),
        ("difference", "pages/difference.html", difference_page(), frame("inbox")),
        ("publication", "pages/publication.html", publication_page(), frame()),
        ("operations", "pages/operations.html", operations_page(), frame("operations")),
        ("operations_empty", "pages/operations.html", operations_page(empty=True),
         frame("operations")),
        *((*sample, frame("operations")) for sample in engine_pages()),
    ]  # fmt: skip
