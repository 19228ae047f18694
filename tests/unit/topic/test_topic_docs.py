"""The messages that docs/topic-file.md explains are those that a wrong file brings."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from docs_kit import DOCS, text_of

from focuscrawl.errors import TopicError
from focuscrawl.topic.spec import load_topic

SECTION = text_of(DOCS / "topic-file.md").partition("\n## When something is wrong\n")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| `(.*)` \| .* \|$", SECTION, re.MULTILINE)
SOUND = 'name = "chess"\n'
FILES = [
    'name = "Chess"\ntitel = "x"\nbreadth = "wide"\nclassification = "clc:R512"\nseed_files = ["gone.txt"]\n'
    '[terms]\n"网页采集" = 1.8\n[synonyms]\nrook = ["tower"]\n[excluded]\n"网页采集" = 0.3\n'
    '[samples]\nrelevant = ["none/*.txt", "empty.txt", "pipe", "../outside.txt", "gbk.txt"]\ntitle = "x"\n'
    f"[scope]\ninclude = ['(']\nexclude = ['{'a' * 612}']\n",
    "",
    SOUND,
    SOUND + 'classification = "clc:R5"\nseed_files = ["../seeds/x.txt"]\n[samples]\ndrop = ["R5/9"]\n',
    SOUND + "description = 1\n[terms]\n茶 = 1.0\n",
    SOUND + '\n\n"\n',
    SOUND + '[samples]\nrelevant_text = ["""a]\n',
]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All faults of `FILES`, and of a name that stands for no file."""
    folder, seeds = tmp_path / "topics", tmp_path / "seeds"
    folder.mkdir()
    seeds.mkdir()
    monkeypatch.chdir(tmp_path)
    (seeds / "x.txt").write_text("http://a.example/\n# list\nexample.org\n", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("chess", encoding="utf-8")
    (folder / "empty.txt").touch()
    os.mkfifo(folder / "pipe")
    (folder / "gbk.txt").write_bytes(b"chess\n" + "国际象棋是一种两个人下的棋".encode("gbk"))
    faults: list[str] = []
    for number, text in enumerate(FILES):
        (folder / f"{number}.toml").write_text(text, encoding="utf-8")
    for name in [*(f"topics/{number}.toml" for number in range(len(FILES))), "ches"]:
        with pytest.raises(TopicError) as error:
            load_topic(name)
        faults += error.value.faults
    return faults


def test_every_message_that_is_explained_is_one_that_is_told(told: list[str]) -> None:
    messages = [message for row in ROWS for message in row.split("`, `")]
    assert len(messages) > 20
    patterns = {message: ".*".join(re.escape(part) for part in message.split("…")) for message in messages}
    unknown = [m for m, pattern in patterns.items() if not any(re.search(pattern, fault) for fault in told)]
    assert unknown == [], "\n".join(told)
