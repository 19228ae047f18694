from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl import plugins
from focuscrawl.errors import StoreError
from focuscrawl.lab.extractors.density_svm import (
    DensityModel,
    DensitySvmExtractor,
    kept_paragraphs,
    parse_model,
    shipped_model,
)
from focuscrawl.lab.extractors.rbf_svm import RbfSvm
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_tokenizer


def machine(width: int, *wanted: tuple[list[float], float], bias: float) -> RbfSvm:
    """Return a machine of a few vectors over features that are shares already."""
    vectors = np.array([vector for vector, _ in wanted])
    weights = np.array([weight for _, weight in wanted])
    return RbfSvm(1.0, 0.3, bias, np.zeros(width), np.ones(width), vectors, weights)


def linkless(tmp_path: Path, *, paragraphs: RbfSvm | None = None, whole: bool = False) -> Path:
    """Return the file of a model that takes blocks of few links, and paragraphs with marks."""
    # Links alone count: the other features are far below the bounds.
    block = replace(
        machine(5, ([1.0, 0.0, 0.0, 0.0, 0.0], -2.0), bias=0.5), maximum=np.array([1.0, 9e3, 9e3, 9e3, 9e3])
    )
    # The first feature, the share of the block, counts little: its bounds are wide.
    marked = replace(
        machine(3, ([0.0, 1.0, 0.5], 1.0), bias=-0.1),
        maximum=np.array([9.0, 0.2, 9.0]),
        vectors=np.array([[0.0, 1.0, 0.0]]),
    )
    path = tmp_path / "model.json"
    path.write_text(json.dumps(DensityModel(block, None if whole else paragraphs or marked).to_json()))
    return path


def page(body: str | bytes) -> PageAnalysis:
    data = body if isinstance(body, bytes) else f"<html><body>{body}</body></html>".encode()
    return analyse(data, "http://a.example/", tokenizer=make_tokenizer("words"))


def test_blocks_above_zero_are_taken_and_their_paragraphs_weighed(tmp_path: Path) -> None:
    extractor = DensitySvmExtractor(model=linkless(tmp_path))
    menu = "<div><a href=/1>首页</a> <a href=/2>更多</a></div>" * 3
    text = "<div>开凿运河，要有船闸。<br>分享到<br>A lock, a keeper.</div><div>alone</div>"
    found = extractor.extract(page(menu + text))
    assert found is not None
    assert found.method == "density_svm"
    assert found.text == "开凿运河，要有船闸。\n\nA lock, a keeper.\n\nalone"
    assert found.xpaths == ("/html/body/div[4]", "/html/body/div[5]")
    assert found.confidence.reason == "2 of 5 blocks, 3 of 4 paragraphs in them"
    assert 0.0 < found.confidence.value <= 1.0


def test_two_features_of_a_paragraph_do(tmp_path: Path) -> None:
    two = replace(machine(2, ([0.0, 1.0], 1.0), bias=-0.1), maximum=np.array([9.0, 0.2]))
    found = DensitySvmExtractor(model=linkless(tmp_path, paragraphs=two)).extract(page("<div>一，二。<br>三</div>"))
    assert found is not None
    assert found.text == "一，二。"


def test_blocks_are_kept_whole_without_a_machine_for_paragraphs(tmp_path: Path) -> None:
    found = DensitySvmExtractor(model=linkless(tmp_path, whole=True)).extract(page("<div>一，二。<br>三</div>"))
    assert found is not None
    assert found.text == "一，二。\n三"


def test_posts_for_browsers_without_script_are_read(tmp_path: Path) -> None:
    extractor = DensitySvmExtractor(model=linkless(tmp_path, whole=True))
    found = extractor.extract(page("<div><script>x()</script></div><noscript><div>运河要有船闸。</div></noscript>"))
    assert found is not None
    assert found.text == "运河要有船闸。"


def test_kept_paragraphs() -> None:
    assert kept_paragraphs([0.2, -0.1, 0.0, 3.0], [1, 9, 9, 1]) == [0, 3]
    assert kept_paragraphs([-0.2, -0.1, 0.0], [4, 9, 9]) == [1]
    assert kept_paragraphs([-1.0], [4]) == [0]
    assert kept_paragraphs([], [4]) == [0]


@given(st.lists(st.tuples(st.floats(-2, 2), st.integers(1, 9)), min_size=1, max_size=9))
def test_a_block_that_was_taken_is_never_dropped_as_a_whole(paragraphs: list[tuple[float, int]]) -> None:
    values, chars = zip(*paragraphs, strict=True)
    kept = kept_paragraphs(values, chars)
    assert kept == sorted(set(kept))
    assert kept
    assert {at for at in range(len(values)) if values[at] > 0} <= set(kept)


def test_the_shipped_model_reads_a_page() -> None:
    extractor = plugins.build("extractors", "density_svm")
    menu = "".join(f"<li><a href=/{n}>栏目{n}</a></li>" for n in range(25))
    text = "运河的开凿，先要有船闸；有了船闸，水位的高低就不再是难题。" * 4
    body = f"<ul>{menu}</ul><div>{f'<p>{text}</p>' * 5}</div><ul>{menu}</ul><div><a href=/c>联系我们</a></div>"
    found = extractor.extract(page(body))
    assert found.text == "\n\n".join([text] * 5)


def test_the_shipped_model_is_small_and_has_the_papers_parameters() -> None:
    model = shipped_model()
    assert (model.block.c, model.block.sigma) == (3.0, 1.6)
    assert model.paragraph is not None
    assert (model.paragraph.c, model.paragraph.sigma) == (2.0, 1.2)
    assert len(json.dumps(model.to_json())) < 300_000


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "no line of text"),
        ("<div><script>x = 1</script></div>", "no line of text"),
        ("<div><a href=/>首页</a></div>", "none of 1 blocks is main content, the best has -1.5"),
    ],
)
def test_nothing_comes_with_a_reason(tmp_path: Path, body: str, reason: str) -> None:
    found = DensitySvmExtractor(model=linkless(tmp_path)).extract(page(body))
    assert found is not None
    assert (found.text, found.confidence.value) == ("", 0.0)
    assert found.confidence.reason.startswith(reason)


@pytest.mark.parametrize("body", [b"", b"\x00\x01\x02\xff" * 400, b"%PDF-1.4 ..."])
def test_what_is_no_page_has_no_text(body: bytes) -> None:
    analysed = page(body)
    found = DensitySvmExtractor().extract(analysed)
    assert (found is None and analysed.empty_reason) or (found is not None and found.text == "")


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 100_000 + "deep",
        "<b><i>" * 50_000 + "deep",
        "<div>a, b.</div>" * 12_000,
        "<div>" + "a, b.<br>" * 12_000 + "</div>",
        "<div><p>x" * 50_000,
    ],
)
def test_huge_pages_take_bounded_time(body: str) -> None:
    analysed = page(body)
    begin = time.process_time()
    found = DensitySvmExtractor().extract(analysed)
    assert found is not None
    assert time.process_time() - begin < 10.0  # about one where nothing else runs


def test_a_model_goes_to_json_and_back(tmp_path: Path) -> None:
    text = linkless(tmp_path).read_bytes()
    model = parse_model(text)
    assert json.dumps(model.to_json()).encode() == text
    other = replace(model, tags=frozenset({"td"}), punctuation="zh")
    again = parse_model(json.dumps(other.to_json(pages=3)).encode())
    assert (again.tags, again.punctuation) == (frozenset({"td"}), "zh")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "other"}, '"method": "density_svm"'),
        ({"version": 2}, '"version" is 2, and 1 is expected'),
        ({"tags": "div"}, '"tags" has to be a list'),
        ({"tags": []}, '"tags" has to be a list'),
        ({"punctuation": []}, '"punctuation" is \\[\\], and one of all, zh'),
        ({"block": {}}, '"block": "minimum" is missing'),
        ({"paragraph": 3}, '"paragraph": an object is expected'),
    ],
)
def test_a_file_that_is_no_model_is_one_sentence(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = linkless(tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StoreError, match=message) as error:
        DensitySvmExtractor(model=path)
    assert str(error.value).startswith(f"{path}: no model of density_svm: ")


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_not_json_is_one_sentence(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "模型.json"
    path.write_bytes(text)
    with pytest.raises(StoreError, match="no model of density_svm"):
        DensitySvmExtractor(model=path)
    with pytest.raises(StoreError, match="cannot be read: no such file"):
        DensitySvmExtractor(model=tmp_path / "none.json")
