"""The thresholds of the checks, each with where it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class QualityThresholds:
    """When a finding blocks or warns. Ratios are 0..1; every figure is a setting, not a law.

    Args:
        min_decoded_ratio: below this share of the container's seconds the recording is cut, and
            the finding blocks. Source: container and decoder differ by encoder delay and rounding
            only (about 50 ms for AAC and MP3), so 2 % is far outside it; damaged MP3 files that
            decoders read without error lost 66 % in trials.
        decoded_tolerance_s: differences up to this many seconds are rounding. Source: live webm
            and concatenated MP3 state their length to the second.
        min_transcribed_ratio: below this share of the speech that has text, the finding blocks.
            Source: whole recordings keep 0.9 and more with the packaged model; holes of a whole
            window (a cut tail, a locked language) take a fifth or more of a short recording.
        warn_transcribed_ratio: below this it warns.
        warn_hole_s: from this many seconds of speech on that follow each other without text, it
            warns. Source: one window of recognizers of this kind is 30 s; what they lose, they
            lose by windows.
        max_hole_s: from this many on it blocks. Source: own judgement: two minutes are a topic.
        warn_suspect_ratio: from this share of the text on that the recognizer may have invented
            (`Segment.suspect`), it warns. Source: own judgement: a sentence of five.
        max_suspect_ratio: from this share on it blocks. Source: own judgement: half of it.
        min_speech_ratio: with less speech than this in what was decoded it warns (recordings of
            `little_speech_s` and more). Source: own judgement; meetings and telephone calls keep
            0.5 and more, a voice that detection does not hear keeps next to nothing.
        little_speech_s: see `min_speech_ratio`.
        min_model_input_ratio: below this share of the transcript given to the summarizer it
            blocks. Source: input is split, never cut, so that anything under 1 is a fault.
        min_cited_ratio: a summary that cites less than this share of the segments blocks. Source:
            a short summary of hours cites few of them, so it is off unless it is set.
        max_uncited_ratio: a stretch without citation longer than this share of a source warns.
            Source: `eval checks`; in 24 right summaries the longest stretch is 0.41, and a second
            half that goes unmentioned is what a cut prompt looks like from outside.
        uncited_min_segments: sources with fewer segments are too short for that.
        min_told_ratio: a quarter of a source of which nothing is cited warns where the summary has
            less than this share of the words that mark it. Source: `eval checks`: one of 24 right
            summaries has such a quarter; without a third of the twelve meetings, most have one.
        min_words_told_ratio: the same of a source of forty segments or fewer, of all words of the
            quarter. Source: `eval checks`: in twelve invented meetings of a dozen lines no right
            summary leaves out a quarter; without a third of the lines it has 0.0 to 0.2 of them.
        min_support_ratio: a written sentence that shares less than this part of its content with
            its evidence warns. Source: own lists of right and wrong summaries (`tests/unit`);
            right ones lie above 0.25.
        aligned_ratio: from this shared part on, two sentences say the same thing, so that a
            difference in negation blocks. Source: the same lists.
        loosely_aligned_ratio: from this shared part on, such a difference warns. Source: `eval
            checks`: 4 of 291 right sentences warn, at 0.3 more than twice as many.
        min_denied_ratio: what a sentence denies warns where no denial in its evidence shares this
            part of its words, the rarer counting more. Source: `eval checks`: 8 of 291 right
            sentences warn, and two thirds of the negations that are added.
        min_similarity: a sentence that shares so few words is passed where the cosine of its
            embedding and that of its evidence is at least this. Source: multilingual-e5-small on
            invented meetings: English decisions that nobody took reach 0.80, nine of ten right
            sentences 0.85.
        min_similarity_cjk: the same for Japanese and Chinese, which lie closer together: 0.90 and
            0.94.
        min_decision_support_ratio: a decision or task that shares less of its content than this
            with its evidence, words counted by how rare they are in the source, warns, and blocks
            below half of it. Source: `eval checks`; right ones mostly lie above it.
        min_said_ratio: where a speaker who is not named says this share of a sentence, words
            counted by how rare they are, and the named one less than `max_own_ratio` of that, it
            warns. Source: `eval checks`; no right sentence of 57 that begin with a speaker warns.
        max_own_ratio: see `min_said_ratio`.
        same_statement_ratio: from this shared part on, both ways, two sentences of a summary say
            the same thing, so that a difference in a negation, number or owner is a contradiction.
            Source: own judgement.
        min_entailment: a sentence that a model of entailment gives at least this likelihood by some
            stretch of its evidence is borne out; below it, it warns. Source: own judgement: from
            one half on, the model holds it for likelier than its other answers together. No such
            model is packaged, so nothing was measured: `eval checks` measures the one you set.
        max_contradiction: from this likelihood of the contrary on, a sentence that nothing bears
            out warns, and blocks where it is a decision, a task or has a number. Source: the same.
        block_contradiction: from this likelihood on every such sentence blocks. Source: the same.
        max_repeats: a sentence that stands this many times, or a phrase that repeats this often
            without a break, is a loop and blocks.
        max_summary_ratio: a written summary longer than this share of its source warns (sources
            of `long_source_chars` and more).
        min_summary_ratio: a written summary shorter than this share of its source (of 60,000
            characters at most) warns, of the same sources. Source: reference summaries of twelve
            meetings; the shortest abstract has 0.006 of its 111,000 characters, 0.01 in Chinese.
        long_source_chars: see `max_summary_ratio`.
    """

    min_decoded_ratio: float = 0.98
    decoded_tolerance_s: float = 1.0
    min_transcribed_ratio: float = 0.8
    warn_transcribed_ratio: float = 0.9
    warn_hole_s: float = 30.0
    max_hole_s: float = 120.0
    warn_suspect_ratio: float = 0.2
    max_suspect_ratio: float = 0.5
    min_speech_ratio: float = 0.1
    little_speech_s: float = 60.0
    min_model_input_ratio: float = 1.0
    min_cited_ratio: float = 0.0
    max_uncited_ratio: float = 0.45
    uncited_min_segments: int = 10
    min_told_ratio: float = 0.4
    min_words_told_ratio: float = 0.2
    min_support_ratio: float = 0.2
    min_similarity: float = 0.84
    min_similarity_cjk: float = 0.92
    min_decision_support_ratio: float = 0.3
    aligned_ratio: float = 0.6
    loosely_aligned_ratio: float = 0.4
    min_denied_ratio: float = 0.2
    min_said_ratio: float = 0.3
    max_own_ratio: float = 0.34
    same_statement_ratio: float = 0.75
    min_entailment: float = 0.5
    max_contradiction: float = 0.5
    block_contradiction: float = 0.9
    max_repeats: int = 3
    max_summary_ratio: float = 0.8
    min_summary_ratio: float = 0.005
    long_source_chars: int = 2000
