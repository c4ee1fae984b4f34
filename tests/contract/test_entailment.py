"""The adapter of a model of entailment, on a tiny one that was never trained."""

import json
import shutil
from pathlib import Path

import pytest

from configs.errors import ModelError, UnknownModelError
from configs.settings import load_settings
from models.entailment import NliModel
from pipeline import health
from pipeline.summarizers import load_entailment
from pipeline.worker import run_worker

LABELS = ["Contradiction", "NEUTRAL", "entailment"]
MAX_TOKENS = 64


def untrained(folder: Path) -> Path:
    """Save a model that guesses: its weights are random, its library is the real one."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    letters = ["[PAD]", "[CLS]", "[SEP]", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(str(folder))
    torch.manual_seed(7)
    BertForSequenceClassification(
        BertConfig(
            vocab_size=len(letters),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=MAX_TOKENS,
            id2label=dict(enumerate(LABELS)),
        )
    ).save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained(tmp_path_factory.mktemp("nli"))


def test_judge_when_the_evidence_is_short_then_one_judgement_of_likelihoods(folder: Path) -> None:
    (judgement,) = NliModel(folder, threads=1).judge("We open in May.", "They open.")

    assert 0 < judgement.entailment < 1
    assert 0 < judgement.entailment + judgement.contradiction < 1


def test_judge_when_the_evidence_is_long_then_every_stretch_is_read(folder: Path) -> None:
    model = NliModel(folder, threads=1)
    said = " ".join(f"Garden {i} has tea." for i in range(40))

    whole = model.judge(said, "They open.")
    ends = model.judge(said + " 店を開きます。", "They open.")

    assert len(whole) > len(said) / MAX_TOKENS
    assert ends[: len(whole) - 1] == pytest.approx(whole[:-1])
    assert ends[len(whole) - 1 :] != whole[-1:]


def test_judge_when_the_sentence_alone_is_too_long_then_its_beginning_is_judged(
    folder: Path,
) -> None:
    (judgement,) = NliModel(folder, threads=1).judge("We open.", "They open in May. " * 50)

    assert 0 < judgement.entailment < 1


def test_labels_when_their_order_is_another_then_their_names_decide(
    folder: Path, tmp_path: Path
) -> None:
    turned = shutil.copytree(folder, tmp_path / "turned")
    config = json.loads((turned / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = dict(enumerate(reversed(LABELS)))
    config["label2id"] = {label: i for i, label in enumerate(reversed(LABELS))}
    (turned / "config.json").write_text(json.dumps(config), encoding="utf-8")

    (one,) = NliModel(folder, threads=1).judge("We open in May.", "They open.")
    (other,) = NliModel(turned, threads=1).judge("We open in May.", "They open.")

    assert other.entailment == pytest.approx(one.contradiction)
    assert other.contradiction == pytest.approx(one.entailment)


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (None, "config.json"),
        ("{", "config.json"),
        ("[]", "config.json"),
        ("{}", "labels: none"),
        ('{"id2label": {"0": "entailment", "1": "not_entailment"}}', "not_entailment"),
        ('{"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}', "LABEL_2"),
    ],
)
def test_folder_when_it_holds_no_such_model_then_said_before_anything_is_loaded(
    config: str | None, told: str, tmp_path: Path
) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(config, encoding="utf-8")

    with pytest.raises(UnknownModelError, match=told):
        NliModel(tmp_path)


@pytest.mark.parametrize("damaged", ["model.safetensors", "tokenizer.json"])
def test_folder_when_it_is_damaged_then_a_model_error(
    damaged: str, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / damaged).write_bytes(b"damaged")

    with pytest.raises(ModelError, match="cannot be loaded"):
        NliModel(tmp_path).judge("We open.", "They open.")


def test_setting_when_empty_then_there_is_no_model() -> None:
    settings = load_settings({"KIKIGAKI_QUALITY__ENTAILMENT_MODEL": ""})

    assert load_entailment(settings) is None
    assert load_entailment(load_settings({})) is None


def test_doctor_when_the_model_guesses_then_says_so(folder: Path) -> None:
    settings = load_settings({"KIKIGAKI_QUALITY__ENTAILMENT_MODEL": str(folder)})

    found = health._tried("entailment", lambda: health._entailment(settings))

    assert not found.ok
    assert folder.name in found.detail
    assert health._entailment(load_settings({})).startswith("not used")


def test_worker_when_the_model_is_not_there_then_does_not_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environ = {"KIKIGAKI_HOME": str(home), "KIKIGAKI_QUALITY__ENTAILMENT_MODEL": "/nowhere"}

    with pytest.raises(UnknownModelError, match="/nowhere"):
        run_worker(load_settings(environ))

    assert not home.exists()
