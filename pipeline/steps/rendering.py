"""The files of a publication, made from the summary and the redacted transcript.

Pure functions: the same documents give the same bytes, and those bytes are what an editor previews,
what the checks scan, what the approval names and what is copied on publishing. jinja2 is used here,
outside the web application, because its autoescaping is what keeps a recording's text from becoming
markup.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from models.documents import (
    ActionItem,
    Heading,
    RedactedTranscript,
    Sentence,
    Summary,
    canonical_json,
)
from models.summarizer.templates import PARTS
from pipeline.steps.rendering_words import labels, place, transcript_label

TEMPLATES = Path(__file__).parent / "templates"
PUBLICATION_NAME = "publication.json"
_WORDS = frozenset({"headline", "title", "text", "owner", "due"})
MEDIA_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "summary.md": "text/markdown; charset=utf-8",
    PUBLICATION_NAME: "application/json",
    "captions.vtt": "text/vtt; charset=utf-8",
    "audio.opus": "audio/ogg; codecs=opus",
    "manifest.json": "application/json",
    "statement.json": "application/json",
}

# An underscore inside a word is no emphasis, so that [PERSON_1] stays as it is.
_MARKUP = re.compile(r"[\\`*{}#<>|]|(?<!\w)_|_(?!\w)|(?<=\])\(")


def render_publication(
    title: str, summary: Summary, transcript: RedactedTranscript, *, has_audio: bool
) -> dict[str, bytes]:
    """Return the rendered files by name: index.html, summary.md, publication.json, captions.vtt.

    Args:
        title: the run's title as the uploader or editor wrote it; shown, and scanned by the checks.
        summary: what readers see first; each sentence links to its evidence.
        transcript: the redacted transcript; its times are seconds.
        has_audio: whether `audio.opus` is published beside the files.

    Returns:
        UTF-8 bytes by file name. `captions.vtt` has no cues for a document.
    """
    page = _environment().get_template("publication.html")
    style = (TEMPLATES / "publication.css").read_text(encoding="utf-8")
    context = {
        "title": title,
        "summary": summary,
        "headings": headings(summary),
        "kind": _kind(summary),
        "transcript": transcript,
        "segments": {segment.id: segment for segment in transcript.segments},
        "labels": labels(summary.language),
        "transcript_label": transcript_label(summary.language, transcript),
        "method": method_label(summary),
        "has_audio": has_audio,
        "style": style,
        "style_hash": _csp_hash(style),
    }
    return {
        "index.html": page.render(context).encode(),
        "summary.md": _markdown(title, summary, transcript).encode(),
        PUBLICATION_NAME: _publication_json(title, summary, transcript),
        "captions.vtt": _captions(transcript).encode(),
    }


def headings(summary: Summary) -> tuple[Heading, ...]:
    """Return the parts that have something in them, in the order and words of the template."""
    names = labels(summary.language)
    template = summary.template
    of_template = template.headings if template else ()
    known = {heading.part for heading in of_template}
    others = (Heading(part=part, text=names[part]) for part in PARTS if part not in known)
    return tuple(heading for heading in (*of_template, *others) if getattr(summary, heading.part))


def _kind(summary: Summary) -> str | None:
    """Return what kind of summary it is, where its first heading does not say so already."""
    template = summary.template
    if template is None or template.title == template.headings[0].text:
        return None
    return template.title


def method_label(summary: Summary) -> str:
    """Return the sentence that tells a reader how the summary came to be."""
    name = "llm" if summary.method == "local_llm" else str(summary.method)
    return labels(summary.language)[name]


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(place=place)
    return environment


def _csp_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _markdown(title: str, summary: Summary, transcript: RedactedTranscript) -> str:
    names = labels(summary.language)
    lines = [f"# {_plain(title)}", "", f"**{_plain(summary.headline)}**", ""]
    lines += [f"*{method_label(summary)} {names['redacted']}*", ""]
    for heading in headings(summary):
        lines += [f"## {_plain(heading.text)}", ""]
        if heading.part == "chapters":
            lines += _chapter_lines(summary, transcript)
        else:
            lines += [
                _sentence_line(s, transcript, summary.language)
                for s in getattr(summary, heading.part)
            ]
        lines.append("")
    return "\n".join(lines)


def _chapter_lines(summary: Summary, transcript: RedactedTranscript) -> Iterator[str]:
    for number, chapter in enumerate(summary.chapters, start=1):
        first = transcript.segment(chapter.first_segment)
        at = f" ({place(first, summary.language)})" if first else ""
        yield f"{number}. {_plain(chapter.title)}{at}"


def _sentence_line(sentence: Sentence, transcript: RedactedTranscript, language: str) -> str:
    line = f"- {_plain(sentence.text)} {_cited(sentence, transcript, language)}".rstrip()
    if isinstance(sentence, ActionItem):
        names = labels(language)
        told = (("owner", sentence.owner), ("due", sentence.due))
        line += "".join(f" · {names[name]}: {_plain(value)}" for name, value in told if value)
    return line


def _plain(text: str) -> str:
    """Escape what Markdown would read as markup or HTML; pseudonyms stay readable."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def _cited(sentence: Sentence, transcript: RedactedTranscript, language: str) -> str:
    found = (transcript.segment(i) for i in sentence.citations)
    places = [place(segment, language) for segment in found if segment]
    return f"({', '.join(places)})" if places else ""


def published_lines(publication_json: bytes) -> list[str]:
    """Return what a publication says: title, summary, transcript, whichever version wrote it."""
    published = json.loads(publication_json)
    return [published["title"], *_said(published["summary"]), *_said(published["transcript"])]


def _said(part: object) -> Iterator[str]:
    if isinstance(part, list):
        yield from (text for one in part for text in _said(one))
    elif isinstance(part, dict):
        for name, value in part.items():
            if name in _WORDS and isinstance(value, str):
                yield value
            elif name != "template":  # its headings are the same in every publication
                yield from _said(value)


def _publication_json(title: str, summary: Summary, transcript: RedactedTranscript) -> bytes:
    return canonical_json(
        {
            "format": "kikigaki-publication-1",
            "title": title,
            "summary": summary.model_dump(mode="json"),
            "transcript": transcript.model_dump(mode="json"),
        }
    )


def _captions(transcript: RedactedTranscript) -> str:
    lines = ["WEBVTT", ""]
    if transcript.kind == "speech":
        for segment in transcript.segments:
            lines += [f"{segment.id}", f"{_vtt(segment.start)} --> {_vtt(segment.end)}"]
            lines += [_cue(segment.text), ""]
    return "\n".join(lines)


def _cue(text: str) -> str:
    collapsed = " ".join(text.split()).replace("&", "&amp;")
    return collapsed.replace("<", "&lt;").replace(">", "&gt;")


def _vtt(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}.{rest % 1000:03d}"
