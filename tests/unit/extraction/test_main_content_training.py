"""The training of the main-content extractor, as the script in `benchmarks` runs it, on made pages."""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
WORDS = [
    "steam",
    "leaves",
    "kettle",
    "water",
    "oolong",
    "cup",
    "garden",
    "harvest",
    "spring",
    "roast",
    "market",
    "village",
    "mountain",
    "rain",
    "basket",
]
# What a scorer has to offer; runs of words stand for those of four tokens.
SCORER = """
from collections import Counter


def tokens(text, lang):
    return text.lower().split()


def shingles(tokens):
    return Counter(zip(tokens, tokens[1:], tokens[2:], tokens[3:]))


def score_page(truth, answer):
    gold, got = (shingles(tokens(page["text"], "")) for page in (truth, answer))
    return {"same": (gold & got).total(), "gold": gold.total()}


def aggregate(scored):
    return {"R": sum(page["same"] for page in scored) / sum(page["gold"] for page in scored)}
"""


def sentence(page: int, at: int) -> str:
    return " ".join(WORDS[(page * 7 + at * 3 + word * (page % 4 + 1)) % len(WORDS)] for word in range(12)) + "."


def make_sets(folder: Path, sites: int) -> None:
    """Write a set of pages, one a site: a menu, an article, and a footer marked by its role alone."""
    (folder / "made" / "html").mkdir(parents=True)
    truths = []
    for page in range(sites):
        paragraphs = [sentence(page, at) for at in range(8)]
        menu = "".join(f'<li><a href="/{word}/">{word} {page}</a></li>' for word in WORDS)
        body = "".join(f"<p>{text}</p>" for text in paragraphs)
        html = (
            f"<title>Tea {page}</title><ul class=menu>{menu}</ul><div class=post ''=odd>{body}</div>"
            f'<div role="contentinfo"><p>Copyright, all rights reserved, site number {page} of tea growers.</p></div>'
        )
        (folder / "made" / "html" / f"tea-{page}.html.gz").write_bytes(gzip.compress(html.encode()))
        truths.append({"id": f"tea-{page}", "url": f"http://tea{page}.example/", "text": "\n".join(paragraphs)})
    (folder / "made" / "truth.jsonl").write_text("\n".join(map(json.dumps, truths)), encoding="utf-8")


def test_training_judges_unseen_sites_and_writes_a_model_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_sets(tmp_path, sites=24)
    scorer, out = tmp_path / "scorer.py", tmp_path / "model.json.gz"
    scorer.write_text(SCORER, encoding="utf-8")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import train_main_content  # type: ignore[import-not-found,unused-ignore]

    monkeypatch.setattr(
        sys, "argv", ["train", str(tmp_path), "--scorer", str(scorer), "--out", str(out), "--jobs", "1"]
    )
    train_main_content.main()
    printed = capsys.readouterr().out
    assert "24 labelled pages" in printed
    recall = re.search(r"unseen sites, made +24  R ([\d.]+)", printed)
    assert recall is not None, printed
    assert float(recall[1]) > 0.9  # articles of sites that the trees have not seen
    from focuscrawl.extraction.forest import Forest

    (stage,) = json.loads(gzip.decompress(out.read_bytes()))["stages"]
    assert Forest(stage).features == 195
