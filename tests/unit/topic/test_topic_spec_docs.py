from __future__ import annotations

import re
from pathlib import Path

from focuscrawl.topic.examples import Example
from focuscrawl.topic.files import topic_files
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.tables import Budget, JudgeChoice, RankingChoice, SampleTable, ScopeTable, ScorerChoice

DOC = Path(__file__).parents[3].joinpath("docs", "topic-file.md").read_text("utf-8")


def test_every_key_is_documented() -> None:
    known = set(TopicSpec.model_fields)
    for table in (Example, Budget, JudgeChoice, RankingChoice, SampleTable, ScopeTable, ScorerChoice):
        known |= set(table.model_fields)
    known -= {"options"}
    undocumented = [key for key in sorted(known) if f"`{key}`" not in DOC and f"`[{key}" not in DOC]
    assert undocumented == []


def test_the_example_is_a_sound_topic_file(tmp_path: Path) -> None:
    import tomllib

    example = re.findall(r"```toml\n(.*?)```", DOC, re.DOTALL)[0]
    assert TopicSpec.model_validate(tomllib.loads(example)).name == "chess"


def test_every_shipped_topic_is_named() -> None:
    assert [path.stem for path in topic_files() if f"`{path.stem}`" not in DOC] == []
