from pathlib import Path

import pytest

from configs.errors import ContextTooLongError, ModelError, ModelSchemaError, UnknownModelError
from models.documents import SummaryMethod
from models.local_llm import LocalLlm, LocalLlmSummarizer
from models.summarizer import parse_summary
from models.summarizer.chat import Message
from tests.llm_servers import smollm2_file
from tests.summaries import transcript

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"


def untrained(folder: Path, template: str | None = TEMPLATE) -> Path:
    """Save a tiny model that was never trained: it writes nonsense through the real library."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate(["<end>", *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")  # type: ignore[no-untyped-call]
    wrapped.chat_template = template
    wrapped.save_pretrained(str(folder))
    torch.manual_seed(7)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(vocabulary),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=4096,
        )
    ).save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained(tmp_path_factory.mktemp("model"))


def test_summarizer_when_model_is_a_folder_then_whole_prompt_is_read_and_answer_checked(
    folder: Path,
) -> None:
    summarizer = LocalLlmSummarizer(LocalLlm(folder, threads=1, max_output_tokens=8))
    redacted = transcript("The tea shop opens a second room in May.", "[PERSON_1] paints it.")

    (part,) = summarizer.parts(redacted)
    answer = summarizer.answer(redacted, part)

    assert answer.method is SummaryMethod.LOCAL_LLM
    assert answer.finish_reason in {"length", "stop"}
    assert answer.output_tokens is not None
    assert answer.output_tokens <= 8
    assert answer.input_tokens is not None
    assert answer.input_tokens > 1500
    with pytest.raises(ModelSchemaError):
        parse_summary(answer, redacted)


def test_context_when_model_has_less_than_configured_then_its_own(folder: Path) -> None:
    assert LocalLlm(folder, context_tokens=100_000).context_tokens == 4096


def test_complete_when_input_is_too_long_then_context_too_long(folder: Path) -> None:
    with pytest.raises(ContextTooLongError):
        LocalLlm(folder).complete([Message("user", "tea and bread " * 2000)])


def test_model_when_its_weights_are_damaged_then_a_model_error(tmp_path: Path) -> None:
    model = LocalLlm(untrained(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"damaged")

    with pytest.raises(ModelError, match="cannot be loaded"):
        model.complete([Message("user", "tea")])


def test_model_when_it_has_no_chat_template_then_says_so(tmp_path: Path) -> None:
    model = LocalLlm(untrained(tmp_path, template=None))

    with pytest.raises(ModelError, match="chat template"):
        model.complete([Message("user", "tea")])


def test_model_when_folder_holds_no_model_then_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        LocalLlm(tmp_path).count_tokens("tea")


def test_model_when_folder_does_not_exist_then_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError):
        LocalLlm(tmp_path / "nothing")


def test_complete_when_weights_are_a_gguf_file_then_words_are_written() -> None:
    file = smollm2_file()
    model = LocalLlm(file.parent, gguf_file=file.name, threads=1, context_tokens=512)

    found = model.complete([Message("user", "Say hello.")], max_output_tokens=4)

    assert found.text.isascii()
    assert found.text.split()
    assert found.output_tokens == 4
    assert found.finish_reason == "length"
