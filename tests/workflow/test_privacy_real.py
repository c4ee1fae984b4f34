"""Names that are said in real recordings, recognized and redacted by the real models.

No recording in Chinese is here: the packaged recognizer mishears the one name that ours has.
`test_privacy.py` plants Chinese names in a scripted transcript.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from configs.clock import new_id
from models.documents import PseudonymMap
from pipeline.runtime import CHILD_SETUP
from storage.embedded_s3 import EmbeddedS3
from storage.statuses import RunStatus
from tests.application import running
from tests.databases import NewDatabase
from tests.deployment import Deployment
from tests.searching import places_of

pytestmark = pytest.mark.timeout(600)

ROOT = Path(__file__).parents[2]
RECORDINGS = {
    "en": (ROOT / "configs/demo/interview.opus", ("David", "Michael")),
    "ja": (ROOT / "tests/data/audio/ja_phone_identity_check_8k.wav", ("山田",)),
}


@pytest.fixture(scope="module")
def real_application(
    tmp_path_factory: pytest.TempPathFactory, new_database: NewDatabase, s3_server: EmbeddedS3
) -> Iterator[Deployment]:
    config = replace(s3_server.config, bucket_prefix=new_id("t").replace("_", "-"))
    home = tmp_path_factory.mktemp("real")
    with (
        new_database("sqlite") as url,
        running(home, url, config, child_setup=CHILD_SETUP) as made,
    ):
        yield made


@pytest.mark.parametrize("language", RECORDINGS)
def test_name_said_in_a_recording_is_found_nowhere_it_should_not_be(
    real_application: Deployment, language: str
) -> None:
    path, said = RECORDINGS[language]
    run_id = real_application.submit(path, language)
    real_application.wait_for_run(run_id, RunStatus.AWAITING_REVIEW, timeout_s=300.0)
    redacted = PseudonymMap.model_validate(real_application.document(run_id, "pseudonym_map"))
    surfaces = {s for entry in redacted.entries for s in entry.surfaces}
    recognized = [name for name in said if any(name in surface for surface in surfaces)]
    assert recognized, "the recognizer wrote none of the names"
    wanted = [surface for surface in surfaces if len(surface) > 1]
    assert places_of(real_application, run_id, wanted) == []
