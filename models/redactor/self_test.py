"""Known strings of the start-up self-test: what must be found in each language."""

from configs.errors import RedactionError
from models.redactor.types import NameModel

Known = tuple[str, tuple[tuple[str, str], ...]]
"""A text, and pairs of class and surface that must be found in it."""

KNOWN: dict[str, tuple[Known, ...]] = {
    "en": (
        (
            (
                "Yesterday Daniel Chen approved the budget. Write to daniel.chen@example.com or "
                "call 415-555-0132, card 4111 1111 1111 1111."
            ),
            (
                ("PERSON", "Daniel Chen"),
                ("EMAIL_ADDRESS", "daniel.chen@example.com"),
                ("PHONE_NUMBER", "415-555-0132"),
                ("CREDIT_CARD", "4111 1111 1111 1111"),
            ),
        ),
        (
            "my number is four one five five five five oh one three two thanks",
            (("PHONE_NUMBER", "four one five five five five oh one three two"),),
        ),
    ),
    "ja": (
        (
            (
                "佐藤健一さんの連絡先はtaro@example.co.jpです。電話は090-1234-5678、"
                "マイナンバーは123456789018、住所は東京都千代田区丸の内1-2-3です。"
            ),
            (
                ("PERSON", "佐藤健一"),
                ("EMAIL_ADDRESS", "taro@example.co.jp"),
                ("PHONE_NUMBER", "090-1234-5678"),
                ("JP_MY_NUMBER", "123456789018"),
                ("ADDRESS", "東京都千代田区丸の内1-2-3"),
            ),
        ),
        (
            "電話番号は〇九〇の一二三四の五六七八です",
            (("PHONE_NUMBER", "〇九〇の一二三四の五六七八"),),
        ),
    ),
    "zh": (
        (
            (
                "我是王芳，邮箱是zhang@example.com请联系，手机13812345678，"
                "身份证11010519491231002X，住在北京市海淀区中关村大街27号。"
            ),
            (
                ("PERSON", "王芳"),
                ("EMAIL_ADDRESS", "zhang@example.com"),
                ("PHONE_NUMBER", "13812345678"),
                ("CN_ID_CARD", "11010519491231002X"),
                ("ADDRESS", "北京市海淀区中关村大街27号"),
            ),
        ),
        ("我的手机号是一三八零零一三八零零零", (("PHONE_NUMBER", "一三八零零一三八零零零"),)),
    ),
}


def prove(names: NameModel) -> None:
    """Let a further model for names find a known person, in a language of its choice.

    Raises:
        RedactionError: it finds none; its weights are for something else, or untrained (not
            retryable).
        ModelError: it cannot be loaded or run (not retryable).
    """
    for text, expected in (known for texts in KNOWN.values() for known in texts):
        persons = [f for f in names.find(text) if f.entity_type == "PERSON"]
        surfaces = {text[f.start : f.end].strip() for f in persons}
        if surfaces & {surface for kind, surface in expected if kind == "PERSON"}:
            return
    raise RedactionError(
        "The model of redaction.ner_model found none of the known names; take weights that were "
        "trained to find persons, or leave the setting empty."
    )
