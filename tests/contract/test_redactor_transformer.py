"""A transformer for names beside the packaged models: an untrained one, and a script."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from configs.errors import ModelError, RedactionError, UnknownModelError
from models.redactor import Redactor
from models.redactor.ner import TransformerNames
from models.redactor.types import Found

KEY = b"a key for tests, thirty-two bytes"
LABELS = ("O", "B-PER", "I-PER", "B-MISC", "I-MISC")


def untrained(folder: Path, *, labels: tuple[str, ...] = LABELS, always: str = "B-PER") -> Path:
    """Save a tiny model with random weights that gives every token the same label."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "Call", "Qanet", "##l", "today", "🙂", "山", "田"]
    ids = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(str(folder))  # fmt: skip
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(words), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=32, id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
    )  # fmt: skip
    model = BertForTokenClassification(config)
    torch.nn.init.constant_(model.classifier.bias, -9.0)
    model.classifier.bias.data[labels.index(always)] = 9.0
    model.save_pretrained(str(folder))
    return folder


@dataclass
class Script:
    """Finds one surface, whatever the text."""

    surface: str
    name: str = "script"
    digest: str = "0" * 64

    def find(self, text: str) -> Iterator[Found]:
        start = text.find(self.surface)
        if start >= 0:
            yield Found(start, start + len(self.surface), "PERSON", 0.9, "name_transformer")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained(tmp_path_factory.mktemp("weights"))


def surfaces(text: str, found: Iterator[Found]) -> list[str]:
    return [text[f.start : f.end] for f in found]


def test_transformer_when_text_has_emoji_then_offsets_count_code_points(folder: Path) -> None:
    text = "🙂🙂 Call Qanetl today 山田"
    assert surfaces(text, TransformerNames(folder).find(text))[1:4] == ["Call", "Qanetl", "Qanetl"]


def test_transformer_when_text_is_longer_than_its_window_then_read_to_the_end(folder: Path) -> None:
    text = "Call today " * 300 + "Qanetl"
    found = list(TransformerNames(folder).find(text))
    assert {f.entity_type for f in found} == {"PERSON"}
    assert text[found[-1].start : found[-1].end] == "Qanetl"
    assert len({f.start for f in found}) == 601


def test_transformer_when_text_is_empty_then_nothing(folder: Path) -> None:
    assert list(TransformerNames(folder).find(" \n ")) == []


def test_transformer_when_label_is_in_no_map_then_ignored(tmp_path: Path) -> None:
    names = TransformerNames(untrained(tmp_path, always="B-MISC"))
    assert list(names.find("Call Qanetl today")) == []


def test_redactor_when_transformer_is_set_then_its_names_and_weights_are_named(
    folder: Path,
) -> None:
    names = TransformerNames(folder)
    redactor = Redactor(KEY, names=names)
    text, spans = redactor.redact_text("Qanetl", "en")
    assert text == "[PERSON_1]"
    assert spans[0].recognizer == "name_transformer"
    assert f"{folder.name} sha256:{names.digest[:12]}" in redactor.name
    assert redactor.digest != Redactor(KEY).digest


def test_transformer_when_weights_change_then_digest_does(folder: Path, tmp_path: Path) -> None:
    other = untrained(tmp_path, always="I-PER")
    assert TransformerNames(other).digest != TransformerNames(folder).digest


@pytest.mark.parametrize(
    ("text", "language", "surface"),
    [
        ("the laptop belongs to chance in the second row", "en", "chance"),
        ("その件はほしぞらに聞いてください", "ja", "ほしぞら"),
        ("保亚沙合共为黑池上阵二十场", "zh", "保亚沙"),
    ],
)
def test_redactor_when_packaged_models_miss_a_name_then_the_further_model_adds_it(
    text: str, language: str, surface: str
) -> None:
    alone = Redactor(KEY).redact_text(text, language)[0]
    together = Redactor(KEY, names=Script(surface)).redact_text(text, language)[0]
    assert surface in alone
    assert surface not in together
    assert "[PERSON_1]" in together


def test_redactor_when_both_find_a_name_in_part_then_all_of_it_is_covered() -> None:
    text = "Yesterday Daniel Chen approved the budget."
    redacted = Redactor(KEY, names=Script("Chen approved")).redact_text(text, "en")[0]
    assert redacted == "Yesterday [PERSON_1] [PERSON_2] the budget."


def test_redactor_when_further_model_disagrees_then_packaged_finding_stays() -> None:
    text = "Yesterday Daniel Chen approved the budget."
    assert "Daniel" not in Redactor(KEY, names=Script("nobody")).redact_text(text, "en")[0]


def test_self_test_when_further_model_finds_no_known_name_then_refused() -> None:
    with pytest.raises(RedactionError, match=r"redaction\.ner_model"):
        Redactor(KEY, languages=("en",), names=Script("nobody")).self_test()


def test_self_test_when_further_model_finds_a_known_name_then_passes() -> None:
    Redactor(KEY, languages=("en",), names=Script("Daniel Chen")).self_test()


@pytest.mark.parametrize(
    "config",
    [
        None,
        "no json",
        {"architectures": ["BertForMaskedLM"], "id2label": {"0": "B-PER"}},
        {"architectures": ["BertForTokenClassification"]},
    ],
)
def test_transformer_when_folder_is_no_such_model_then_error_names_the_setting(
    tmp_path: Path, config: object
) -> None:
    if config is not None:
        text = config if isinstance(config, str) else json.dumps(config)
        (tmp_path / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(UnknownModelError, match=r"redaction\.ner_model"):
        TransformerNames(tmp_path)


def test_transformer_when_labels_know_no_persons_then_error_says_where_to_add_them(
    tmp_path: Path,
) -> None:
    with pytest.raises(UnknownModelError, match=r"labels\.toml"):
        TransformerNames(untrained(tmp_path, labels=("O", "B-GENE"), always="O"))


def test_transformer_when_weights_are_damaged_then_nothing_is_redacted(tmp_path: Path) -> None:
    folder = untrained(tmp_path)
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(ModelError):
        Redactor(KEY, names=TransformerNames(folder)).redact_text("Call Qanetl", "en")
