from __future__ import annotations

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from focuscrawl.lab.extractors.density_svm import chosen_lines
from focuscrawl.lab.extractors.density_training import (
    BLOCK_C,
    BLOCK_SIGMA,
    FOLDS,
    PARAGRAPH_C,
    PARAGRAPH_SIGMA,
    GridPoint,
    LabelledPage,
    TooFewError,
    best_point,
    drawn_order,
    fit_svm,
    grid_search,
    label_page,
    split_folds,
    train,
)
from focuscrawl.lab.extractors.gold_lines import line_figures
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("words")


def sentences(draw: random.Random, count: int) -> str:
    return "".join(
        "".join(draw.choices("开凿运河要有船闸水位高低难题两岸百姓往来", k=draw.randint(8, 20))) + "，。"[at % 2]
        for at in range(count)
    )


def make_page(number: int, site: str) -> LabelledPage:
    """Return a page of a menu, a text whose last lines are not its own, and a footer."""
    draw = random.Random(number)
    menu = "".join(f"<li><a href=/{at}>栏目{at}首页</a></li>" for at in range(draw.randint(4, 12)))
    text = [sentences(draw, draw.randint(3, 9)) for _ in range(draw.randint(4, 8))]
    body = f"<ul>{menu}</ul><div>{'<br>'.join(text)}<br>分享到<br>打印</div><div>版权声明 <a href=/c>联系</a></div>"
    page = analyse(body.encode(), "http://a.example/", tokenizer=TOKENIZER)
    labelled = label_page(page, "\n".join(text), site=site)
    assert labelled is not None
    return labelled


@cache
def pages(count: int, sites: int) -> list[LabelledPage]:
    return [make_page(number, f"site{number % sites}") for number in range(count)]


def test_a_page_is_labelled_by_its_gold_text() -> None:
    body = "<div><a href=/>首页</a></div><div>运河要有船闸。<br>A lock needs a keeper.<br>分享到</div><p>尾声</p>"
    page = analyse(body.encode(), "http://a.example/", tokenizer=TOKENIZER)
    labelled = label_page(page, "运河要有船闸。A lock needs a keeper.", site="a.example")
    assert labelled is not None
    assert labelled.is_body.tolist() == [False, True, False]
    assert [labelled.found.lines[at].text for at in labelled.gold] == ["运河要有船闸。", "A lock needs a keeper."]
    assert labelled.rows.shape == (3, 5)
    assert all(node.element is None for node in labelled.found.nodes)
    assert label_page(analyse(b"", "http://a.example/", tokenizer=TOKENIZER), "x", site="a") is None


def test_the_model_finds_the_text_of_pages_it_has_not_seen() -> None:
    trained = train(pages(40, 8), search=False)
    assert (trained.model.block.c, trained.model.block.sigma) == (BLOCK_C, BLOCK_SIGMA) == (3.0, 1.6)
    assert trained.model.paragraph is not None
    assert (trained.model.paragraph.c, trained.model.paragraph.sigma) == (PARAGRAPH_C, PARAGRAPH_SIGMA) == (2.0, 1.2)
    assert (trained.pages, trained.sites, trained.grouped_by) == (40, 8, "site")
    assert (trained.block_grid, trained.paragraph_grid) == ((), ())
    assert trained.lines.f > 0.9
    new = [make_page(number, "new") for number in range(1000, 1010)]
    kept = [(chosen_lines(p.found, p.blocks, trained.model.block.decide(p.rows), trained.model), p.gold) for p in new]
    assert line_figures(kept).f > 0.9


def test_training_is_the_same_each_time() -> None:
    one, other = (train(pages(20, 4), search=False, seed=3) for _ in range(2))
    assert one.model.to_json() == other.model.to_json()
    assert one.grouped_by == "page"  # fewer sites than folds


def noisy(count: int = 120) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    rows = rng.uniform(0.0, 2.0, (count, 3))
    return rows, np.where(rows[:, 0] + rng.normal(0.0, 0.5, count) > 1.2, 1, -1), rng.integers(0, 4, count)


def test_the_grid_is_that_of_scikit_learn() -> None:
    rows, labels, folds = noisy()
    for point in grid_search(rows, labels, folds, grid_c=(0.5, 10.0), grid_sigma=(0.4, 2.4)):
        machine = SVC(C=point.c, gamma=1.0 / (2.0 * point.sigma**2), class_weight="balanced")
        said = cross_val_predict(
            make_pipeline(MinMaxScaler(clip=True), machine), rows, labels, cv=PredefinedSplit(folds)
        )
        by_fold = [f1_score(labels[folds == fold], said[folds == fold]) for fold in range(4)]
        assert point.f1 == pytest.approx(np.mean(by_fold))


def test_ties_go_to_the_smaller_c_then_the_larger_sigma() -> None:
    points = [GridPoint(2.0, 2.4, 0.8), GridPoint(1.0, 0.4, 0.8), GridPoint(1.0, 1.2, 0.8), GridPoint(0.5, 1.2, 0.7)]
    assert best_point(points) == GridPoint(1.0, 1.2, 0.8)
    assert best_point([*points, GridPoint(10.0, 0.4, 0.9)]).f1 == 0.9


@given(st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=60), st.integers(0, 9))
def test_folds_split_no_site_and_are_alike(sites: list[str], seed: int) -> None:
    page = pages(1, 1)[0]
    made = [LabelledPage(site, page.found, page.blocks, page.rows, page.is_body, page.gold) for site in sites]
    grouped_by, folds = split_folds(made, seed=seed)
    assert grouped_by == ("site" if len(set(sites)) >= FOLDS else "page")
    assert set(folds) == set(range(min(FOLDS, len(sites))))
    if grouped_by == "site":
        assert len(set(zip(sites, folds, strict=True))) == len(set(sites))
        assert max(Counter(folds).values()) - min(Counter(folds).values()) <= max(Counter(sites).values())
    else:
        assert max(Counter(folds).values()) - min(Counter(folds).values()) <= 1


def test_an_order_is_drawn_by_its_seed() -> None:
    orders = [drawn_order(9, seed=seed) for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[2]) == list(range(9))


def test_other_counts_go_into_the_model() -> None:
    trained = train(pages(40, 8), search=False, tags={"div"}, punctuation="zh", features=2)
    assert (trained.model.tags, trained.model.punctuation) == (frozenset({"div"}), "zh")
    assert trained.model.paragraph is not None
    assert trained.model.paragraph.features == 2


def test_few_paragraphs_make_no_machine() -> None:
    trained = train(pages(4, 4), search=False)
    assert trained.paragraphs < 100
    assert trained.model.paragraph is None
    assert trained.lines.recall == 1.0


def test_too_little_to_learn_from_is_said() -> None:
    with pytest.raises(TooFewError, match="two pages with text"):
        train([])
    without = [LabelledPage(p.site, p.found, p.blocks, p.rows, p.is_body & False, ()) for p in pages(6, 6)]
    with pytest.raises(TooFewError, match="both main text and other text"):
        train(without, search=False)
    with pytest.raises(TooFewError, match="both main text and other text"):
        fit_svm(np.ones((3, 5)), np.ones(3, np.int64), c=1.0, sigma=1.0)
