"""Which planted faults the checks find, and how often they block what is right."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from models.documents import Finding, Severity, Summary
from models.evaluation_cases import Case
from models.evaluation_planting import Planted, all_planted, pseudonyms
from models.fictional.people import Writing
from models.quality import CheckOptions, check_quality
from models.scoring import Interval, wilson

PLANTED_SEED = 2026
GOAL = 0.95
_GOALS = frozenset({"changed number", *(f"leaked name, {writing}" for writing in Writing)})


@dataclass(frozen=True)
class FaultRow:
    """One class of planted faults in one language of one source.

    Args:
        source: `shared` or `generated`.
        language: of source and summary.
        fault: the class.
        planted: how many.
        found: how many made a finding, of a kind that fits, that was not there before.
        blocked: for how many of them it blocks.
        missed: where the others were: `meeting place`.
    """

    source: str
    language: str
    fault: str
    planted: int
    found: int
    blocked: int
    missed: tuple[str, ...]

    @property
    def recall(self) -> float | None:
        """The share that was found."""
        return self.found / self.planted if self.planted else None

    @property
    def interval(self) -> Interval | None:
        """In which the share lies with 95 % confidence."""
        return wilson(self.found, self.planted)

    @property
    def is_below_goal(self) -> bool:
        """Tell whether a class that has a goal misses it."""
        return self.fault in _GOALS and self.recall is not None and self.recall < GOAL


@dataclass(frozen=True)
class RightRow:
    """What the checks say of unchanged summaries of one source and language."""

    source: str
    language: str
    summaries: int
    blocked: int
    sentences: int
    sentences_blocked: int
    sentences_warned: int
    reasons: tuple[str, ...]


def evaluate_checks(
    cases: Sequence[Case],
    options: CheckOptions,
    *,
    rounds: int = 3,
    seed: int = PLANTED_SEED,
    progress: Callable[[int, int, str], None] | None = None,
) -> tuple[list[RightRow], list[FaultRow]]:
    """Check every case as it is, and with each class of faults in it.

    Args:
        cases: right summaries.
        options: as the step of the workflow has them.
        rounds: how many times faults are drawn for a sentence.
        seed: of the draws.
        progress: called with done, total and the case that comes next.

    Returns:
        Rows by source and language of what is right, and of each class of faults.
    """
    right: list[tuple[Case, list[Finding]]] = []
    lines: list[tuple[Case, str, str, Severity | None]] = []
    for done, case in enumerate(cases):
        if progress:
            progress(done, len(cases), case.id)
        before = _findings(case, case.summary, options)
        right.append((case, before))
        rng = Random(f"{seed} {case.id}")  # noqa: S311 - to be repeatable
        for planted in all_planted(case, rng, rounds):
            after = _findings(case, planted.summary, options)
            lines += (
                (case, planted.fault, place, found)
                for place, found in _outcomes(planted, before, after)
            )
    return _right_rows(right), _fault_rows(lines)


def _findings(case: Case, summary: Summary, options: CheckOptions) -> list[Finding]:
    report = check_quality(
        summary=summary,
        redacted=case.redacted,
        rendered={},
        titles=(),
        pseudonyms=pseudonyms(),
        options=options,
    )
    return list(report.findings)


def _outcomes(
    planted: Planted, before: Sequence[Finding], after: Sequence[Finding]
) -> Iterator[tuple[str, Severity | None]]:
    """Yield for each fault its place and the gravest finding that is new there, if any."""
    known = {(f.check, f.severity, f.place, f.reason) for f in before}
    new = [
        f
        for f in after
        if (f.check, f.severity, f.place, f.reason) not in known
        and f.check.startswith(planted.checks)
    ]
    for i, place in enumerate(planted.places):
        if planted.marks:
            levels = {f.severity for f in new if planted.marks[i] in f.reason}
        else:
            levels = {f.severity for f in new if f.place == place}
        gravest = Severity.BLOCK if Severity.BLOCK in levels else Severity.WARN
        yield place, gravest if levels else None


def _fault_rows(lines: Iterable[tuple[Case, str, str, Severity | None]]) -> list[FaultRow]:
    groups: dict[tuple[str, str, str], list[tuple[str, Severity | None]]] = {}
    for case, fault, place, found in lines:
        key = (case.source, case.language, str(fault))
        groups.setdefault(key, []).append((f"{case.id} {place}", found))
    return [
        FaultRow(
            *key,
            planted=len(outcomes),
            found=sum(found is not None for _, found in outcomes),
            blocked=sum(found is Severity.BLOCK for _, found in outcomes),
            missed=tuple(place for place, found in outcomes if found is None),
        )
        for key, outcomes in groups.items()
    ]


def _right_rows(right: Iterable[tuple[Case, list[Finding]]]) -> list[RightRow]:
    groups: dict[tuple[str, str], list[tuple[Case, list[Finding]]]] = {}
    for case, findings in right:
        groups.setdefault((case.source, case.language), []).append((case, findings))
    return [_right_row(*key, members) for key, members in groups.items()]


def _right_row(
    source: str, language: str, members: Sequence[tuple[Case, list[Finding]]]
) -> RightRow:
    places = [
        (case.id, f.place, f.severity, f.check) for case, findings in members for f in findings
    ]
    blocking = [(id_, place, check) for id_, place, s, check in places if s is Severity.BLOCK]
    warning = {(id_, place) for id_, place, s, _ in places if s is Severity.WARN and "[" in place}
    return RightRow(
        source=source,
        language=language,
        summaries=len(members),
        blocked=len({id_ for id_, _, _ in blocking}),
        sentences=sum(len(case.summary.sentences()) for case, _ in members),
        sentences_blocked=len({(id_, place) for id_, place, _ in blocking if "[" in place}),
        sentences_warned=len(warning),
        reasons=tuple(f"{id_} {place} {check}" for id_, place, check in blocking),
    )
