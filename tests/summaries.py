"""Fictional sources with right and wrong summaries, wrong in the ways of small models."""

from dataclasses import dataclass

from models.documents import (
    ActionItem,
    Coverage,
    Language,
    RedactedSegment,
    RedactedTranscript,
    Sentence,
    Summary,
    SummaryMethod,
)


def transcript(
    *texts: str,
    language: str = "en",
    speakers: tuple[str | None, ...] = (),
    coverage: Coverage | None = None,
    warnings: tuple[str, ...] = (),
) -> RedactedTranscript:
    """Return a recording with a segment of three seconds for each text."""
    segments = tuple(
        RedactedSegment(
            id=i + 1,
            start=3.0 * i,
            end=3.0 * i + 2.9,
            text=text,
            speaker=speakers[i] if i < len(speakers) else None,
        )
        for i, text in enumerate(texts)
    )
    return RedactedTranscript(
        kind="speech",
        language=language,
        duration_s=3.0 * len(texts),
        segments=segments,
        coverage=coverage or Coverage(),
        warnings=warnings,
    )


def document(*blocks: tuple[str, str], language: str = "en") -> RedactedTranscript:
    """Return a document of blocks, each a place (`paragraph 1`) and its text."""
    segments = tuple(
        RedactedSegment(id=i, start=0.0, end=0.0, text=text, location=place)
        for i, (place, text) in enumerate(blocks, start=1)
    )
    return RedactedTranscript(kind="document", language=language, duration_s=0.0, segments=segments)


def written(
    *sentences: Sentence,
    language: str = "en",
    headline: str | None = None,
    actions: tuple[ActionItem, ...] = (),
    method: SummaryMethod = SummaryMethod.LLM,
) -> Summary:
    """Return a summary of these sentences; the headline is the first of them."""
    return Summary(
        method=method,
        language=language,
        headline=headline or (sentences[0].text if sentences else actions[0].text),
        abstract=sentences or (Sentence(text=actions[0].text, citations=actions[0].citations),),
        action_items=actions,
    )


@dataclass(frozen=True)
class Trap:
    """A source of one cited segment or more, a wrong sentence about it, and a right one."""

    name: str
    language: Language
    source: tuple[str, ...]
    wrong: str
    right: str
    check: str
    owner: tuple[str, str] | None = None


TRAPS = (
    Trap(
        "invented date",
        "en",
        ("The launch moves to April 9 because the labels are late.", "Nobody objected to that."),
        "The launch moves to April 7 because the labels are late.",
        "The launch was moved to the ninth of April because of late labels.",
        "facts.number",
    ),
    Trap(
        "invented month",
        "en",
        ("We start the trial in September with two shops.",),
        "The trial starts in October with two shops.",
        "The trial starts in September, in two shops.",
        "facts.date",
    ),
    Trap(
        "invented weekday",
        "en",
        ("Let's meet again on Thursday at ten.",),
        "The group will meet again on Tuesday at ten.",
        "The group will meet again on Thursday at 10.",
        "facts.date",
    ),
    Trap(
        "changed amount",
        "en",
        ("The budget for packaging is twelve thousand five hundred euros.",),
        "The packaging budget is 15,000 euros.",
        "The packaging budget is 12,500 euros.",
        "facts.number",
    ),
    Trap(
        "changed unit",
        "en",
        ("Returns fell by twenty percent this spring.",),
        "Returns fell by 20 dollars this spring.",
        "Returns fell by 20% this spring.",
        "facts.number",
    ),
    Trap(
        "changed count",
        "en",
        ("Three engineers will join the team for the pilot.",),
        "Five engineers will join the team for the pilot.",
        "3 engineers will join the pilot's team.",
        "facts.number",
    ),
    Trap(
        "dropped negation",
        "en",
        ("We will not extend the contract with the old supplier.",),
        "The company will extend the contract with the old supplier.",
        "The contract with the old supplier will not be extended.",
        "facts.negation",
    ),
    Trap(
        "added negation",
        "en",
        ("The warehouse can deliver the spare parts before winter.",),
        "The warehouse cannot deliver the spare parts before winter.",
        "The warehouse is able to deliver the spare parts before winter.",
        "facts.negation",
    ),
    Trap(
        "invented name",
        "en",
        ("Somebody from finance should look at the invoice again.",),
        "A request was made that Henderson from finance look at the invoice again.",
        "Somebody from finance is asked to look at the invoice again.",
        "facts.name",
    ),
    Trap(
        "invented person",
        "en",
        ("[PERSON_1] showed the new figures.", "They were better than expected."),
        "[PERSON_2] showed new figures, better than expected.",
        "[PERSON_1] showed new figures, better than expected.",
        "facts.name",
    ),
    Trap(
        "wrong owner",
        "en",
        ("[PERSON_1], thanks. [PERSON_2] will send the draft to the printer by Friday.",),
        "[PERSON_1] will send the draft to the printer by Friday.",
        "[PERSON_2] will send the draft to the printer by Friday.",
        "facts.owner",
        owner=("[PERSON_1]", "[PERSON_2]"),
    ),
    Trap(
        "nothing of it was said",
        "en",
        ("The roof of the east wing leaks again after the storm.",),
        "Customers praised quick support and asked for longer opening hours.",
        "The east wing's roof leaks again after the storm.",
        "facts.support",
    ),
    Trap(
        "invented date",
        "ja",
        ("新しいパンフレットは四月九日に印刷します。",),
        "新しいパンフレットは4月7日に印刷する。",
        "新しいパンフレットは4月9日に印刷する。",
        "facts.number",
    ),
    Trap(
        "invented weekday",
        "ja",
        ("次の会議は木曜日の午後にしましょう。",),
        "次の会議は火曜日の午後に行う。",
        "次の会議は木曜日の午後に行う。",
        "facts.date",
    ),
    Trap(
        "changed amount",
        "ja",
        ("予算は三百五十万円で承認されました。",),
        "予算は530万円で承認された。",
        "予算は350万円で承認された。",
        "facts.number",
    ),
    Trap(
        "changed percentage",
        "ja",
        ("来月から価格を二割下げることにしました。",),
        "来月から価格を30％下げることにした。",
        "来月から価格を20％下げることにした。",
        "facts.number",
    ),
    Trap(
        "dropped negation",
        "ja",
        ("旧型の部品は今後は販売しません。",),
        "旧型の部品は今後も販売します。",
        "旧型の部品は今後販売しない。",
        "facts.negation",
    ),
    Trap(
        "invented name",
        "ja",
        ("経理の担当の方に請求書を確認してもらいます。",),
        "経理の斎藤さんに請求書を確認してもらう。",
        "経理の担当の方に請求書を確認してもらう。",
        "facts.name",
    ),
    Trap(
        "wrong owner",
        "ja",
        ("[PERSON_1]さんの提案どおり、[PERSON_2]さんが見積書を金曜日までに作成します。",),
        "[PERSON_1]さんが見積書を金曜日までに作成する。",
        "[PERSON_2]さんが見積書を金曜日までに作成する。",
        "facts.owner",
        owner=("[PERSON_1]", "[PERSON_2]"),
    ),
    Trap(
        "invented date",
        "zh",
        ("我们决定六月十二号开始试运行。",),
        "决定6月20日开始试运行。",
        "决定6月12日开始试运行。",
        "facts.number",
    ),
    Trap(
        "invented weekday",
        "zh",
        ("下次会议定在星期四上午。",),
        "下次会议定在周二上午。",
        "下次会议定在周四上午。",
        "facts.date",
    ),
    Trap(
        "changed percentage",
        "zh",
        ("今年的退货率下降了百分之十五。",),
        "今年的退货率下降了50%。",
        "今年的退货率下降了15%。",
        "facts.number",
    ),
    Trap(
        "changed amount",
        "zh",
        ("包装的预算是两万五千元。",),
        "包装预算为5.2万元。",
        "包装预算为25000元。",
        "facts.number",
    ),
    Trap(
        "dropped negation",
        "zh",
        ("我们不再和旧的供应商续签合同。",),
        "我们和旧的供应商续签合同。",
        "我们不再与旧供应商续签合同。",
        "facts.negation",
    ),
    Trap(
        "invented name",
        "zh",
        ("请财务的同事再检查一下这张发票。",),
        "请财务的赵经理再检查这张发票。",
        "请财务同事再检查这张发票。",
        "facts.name",
    ),
    Trap(
        "changed amount in traditional characters",
        "zh",
        ("我們決定把預算定為兩萬五千塊錢。",),
        "預算定為5.2萬元。",
        "预算定为25000元。",
        "facts.number",
    ),
    Trap(
        "dropped negation in traditional characters",
        "zh",
        ("我們沒有批准這個新的運輸方案。",),
        "我們批准了這個新的運輸方案。",
        "我们没有批准这个新的运输方案。",
        "facts.negation",
    ),
    Trap(
        "wrong owner in traditional characters",
        "zh",
        ("[PERSON_1]的意見很好，請[PERSON_2]在週五前把報告發給客戶。",),
        "請[PERSON_1]在週五前把報告發給客戶。",
        "請[PERSON_2]在週五前把報告發給客戶。",
        "facts.owner",
        owner=("[PERSON_1]", "[PERSON_2]"),
    ),
    Trap(
        "wrong owner",
        "zh",
        ("[PERSON_1]的意见很好，由[PERSON_2]负责在周五前把方案发给客户。",),
        "由[PERSON_1]负责在周五前把方案发给客户。",
        "由[PERSON_2]负责在周五前把方案发给客户。",
        "facts.owner",
        owner=("[PERSON_1]", "[PERSON_2]"),
    ),
)

RIGHT_PARAPHRASES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "en",
        ("We won't raise prices this year, but we will add a second warehouse in the north.",),
        "A second warehouse will be added in the north; prices stay as they are this year.",
    ),
    (
        "en",
        ("I don't think we can finish before May, so let's tell the customer June 1st.",),
        "Since finishing before May is unlikely, the customer will be told June 1.",
    ),
    (
        "en",
        ("There are the red case, the blue case and the green case.", "We like the green one."),
        "Of three colours, the group likes green.",
    ),
    (
        "en",
        ("Not only did sales grow, they grew by a third, from 30 to 40 thousand.",),
        "Sales grew from 30,000 to 40,000.",
    ),
    (
        "ja",
        ("来週までに資料を提出しなければなりません。",),
        "来週までに資料を提出する必要がある。",
    ),
    (
        "ja",
        ("問題ありませんので、二〇二六年の三月に始めます。",),
        "2026年3月に始める。",
    ),
    (
        "zh",
        ("这个方案不错，我们不但要做，而且要在十月之前做完。",),
        "这个方案很好，要在10月之前做完。",
    ),
    (
        "zh",
        ("大家觉得十分重要，一起把三个问题都讨论了。",),
        "大家认为重要，讨论了3个问题。",
    ),
)
