import pytest

from storage.refs import Area, area_of, artifact_key, publication_prefix, run_prefix

SHA = "a" * 64
HOSTILE = [
    "../../etc/passwd",
    "会議録音 😀 (最終).wav",
    "a/b",
    "a\\b",
    "nul\x00byte",
    "line\nbreak",
    "%2e%2e%2f",
    "",
    " ",
    "x" * 300,
    "\u202egnp.exe",
]


def test_key_when_all_parts_are_plain_then_it_is_made_of_ids_kind_and_hash() -> None:
    key = artifact_key("default", "run_01", "source", SHA, "wav")
    assert key == f"default/runs/run_01/source/{SHA}.wav"


@pytest.mark.parametrize("name", HOSTILE)
def test_key_when_a_file_name_is_given_for_any_part_then_it_is_refused(name: str) -> None:
    for parts in (
        (name, "run_01", "source", SHA, "wav"),
        ("default", name, "source", SHA, "wav"),
        ("default", "run_01", name, SHA, "wav"),
        ("default", "run_01", "source", name, "wav"),
        ("default", "run_01", "source", SHA, name),
    ):
        with pytest.raises(ValueError, match=r"kind|key"):
            artifact_key(*parts)


@pytest.mark.parametrize("name", HOSTILE)
def test_prefixes_when_a_file_name_is_given_then_it_is_refused(name: str) -> None:
    for make in (run_prefix, publication_prefix):
        with pytest.raises(ValueError, match="key"):
            make(name, "run_01")
        with pytest.raises(ValueError, match="key"):
            make("default", name)


@pytest.mark.parametrize(
    ("kind", "area"),
    [
        ("source", Area.RAW),
        ("transcript", Area.RAW),
        ("redactions", Area.RAW),
        ("pseudonym_map", Area.RAW),
        ("vocabulary", Area.RAW),
        ("normalized_audio", Area.RAW),
        ("redacted_transcript", Area.DERIVED),
        ("redacted_audio", Area.DERIVED),
        ("model_answer", Area.DERIVED),
    ],
)
def test_area_when_kind_holds_personal_data_then_it_is_the_raw_one(kind: str, area: Area) -> None:
    assert area_of(kind) is area


def test_publication_prefix_when_a_revision_is_given_then_it_ends_with_it() -> None:
    assert publication_prefix("default", "run_01", 3) == "default/run_01/r3/"
    assert publication_prefix("default", "run_01") == "default/run_01/"
