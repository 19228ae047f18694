"""focuscrawl train-extractor, and extract with what it wrote."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]


def write_page(folder: Path, number: int) -> dict[str, object]:
    draw = random.Random(number)
    text = [
        "，".join("".join(draw.choices("开凿运河要有船闸水位高低难题", k=9)) for _ in range(draw.randint(3, 7))) + "。"
        for _ in range(6)
    ]
    menu = "".join(f"<li><a href=/{at}>栏目{at}首页</a></li>" for at in range(draw.randint(4, 9)))
    name = f"第{number}页.html"
    (folder / name).write_bytes(
        f"<meta charset=gbk><ul>{menu}</ul><div>{'<br>'.join(text)}<br>分享到</div>".encode("gbk")
    )
    return {"file": name, "url": f"http://s{number % 6}.example/{number}", "text": "\n".join(text)}


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    lines = [json.dumps(write_page(tmp_path, number), ensure_ascii=False) for number in range(24)]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path


def test_a_model_is_learned_and_used(listing: Path, command: Command) -> None:
    model = listing.with_name("model.json")
    code, out, err = command("train-extractor", str(listing), "--out", str(model), "--paper")
    assert (code, err) == (0, "")
    assert "24 pages of 6 sites" in out
    assert "C 3, sigma 1.6" in out
    assert "each site left out in turn" in out
    page = write_page(listing.parent, 99)
    for arguments in (["第99页.html"], ["--pages", "one.jsonl"]):
        listing.with_name("one.jsonl").write_text(json.dumps({"file": page["file"]}))
        given = [str(listing.with_name(a)) if "." in a else a for a in arguments]
        code, out, _ = command("extract", *given, "--method", "density_svm", "--model", str(model), "--json")
        assert code == 0
        found = json.loads(out)
        assert found["method"] == "density_svm"
        assert str(page["text"]).replace("\n", "") == found["text"].replace("\n", "").removesuffix("分享到")


def test_without_scikit_learn_the_extra_is_named(
    listing: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    model = listing.with_name("model.json")
    code, _, err = command("train-extractor", str(listing), "--out", str(model), "--paper")
    assert (code, model.exists()) == (1, False)
    assert err == (
        "Training density_svm needs scikit-learn, which is not installed: pip install 'focuscrawl[train]'.\n"
    )


def test_the_grid_is_shown_and_kept(listing: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from focuscrawl.lab.extractors import density_training

    monkeypatch.setattr(
        density_training.grid_search, "__kwdefaults__", {"grid_c": (1.0, 3.0), "grid_sigma": (0.4, 1.6)}
    )
    model = listing.with_name("model.json")
    code, out, _ = command("train-extractor", str(listing), "--out", str(model))
    assert code == 0
    assert "F1 of blocks by C and sigma, 5 folds by site" in " ".join(out.split())
    assert "sigma 0.4" in out
    code, out, _ = command("train-extractor", str(listing), "--out", str(model), "--json")
    said, kept = json.loads(out), json.loads(model.read_text())
    assert (said["pages"], said["sites"], said["left_out_by"]) == (24, 6, "site")
    assert said["grid"] == kept["grid"]
    assert len(kept["grid"]["block"]) == 4
    assert kept["block"]["c"] in (1.0, 3.0)
    assert kept["trained_on"]["blocks"] == said["blocks"]


def test_pages_that_cannot_be_read_are_left_out_and_named(listing: Path, command: Command) -> None:
    with listing.open("a", encoding="utf-8") as file:
        for number in range(7):
            file.write(json.dumps({"file": f"gone{number}.html", "text": "x"}) + "\n")
    listing.with_name("empty.html").write_bytes(b"")
    code, _, err = command("train-extractor", str(listing), "--out", str(listing.with_name("m.json")), "--paper")
    assert code == 0
    assert err.count("cannot be read: no such file") == 5
    assert "line 26: gone0.html" in err
    assert "2 more pages are left out." in err


def test_ten_pages_of_a_site_do(listing: Path, command: Command) -> None:
    lines = [json.loads(line) for line in listing.read_text(encoding="utf-8").splitlines() if line]
    listing.write_text("\n".join(json.dumps(line | {"site": "one"}) for line in lines))
    arguments = [str(listing), "--out", str(listing.with_name("m.json")), "--paper", "--json"]
    models = []
    for seed in ("0", "0", "1"):
        code, out, _ = command("train-extractor", *arguments, "--seed", seed)
        assert code == 0
        assert (json.loads(out)["pages"], json.loads(out)["left_out_by"]) == (10, "page")
        models.append(listing.with_name("m.json").read_bytes())
    assert models[0] == models[1] != models[2]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 25: not JSON"),
        ("[]", 'line 25: an object with "file" and "text" is expected'),
        ('{"file": "a.html"}', 'line 25: an object with "file" and "text" is expected'),
        ('{"file": 3, "text": "x"}', 'line 25: an object with "file" and "text" is expected'),
    ],
)
def test_a_line_that_is_wrong_is_one_sentence(listing: Path, command: Command, line: str, message: str) -> None:
    text = listing.read_text(encoding="utf-8").rstrip()
    listing.write_text(f"{text}\n{line}\n", encoding="utf-8")
    code, out, err = command("train-extractor", str(listing), "--out", str(listing.with_name("m.json")))
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


def test_too_little_and_unreadable_lists_are_one_sentence(tmp_path: Path, command: Command) -> None:
    out = str(tmp_path / "m.json")
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert "too little to learn from: two pages with text" in command("train-extractor", str(empty), "--out", out)[2]
    code, _, err = command("train-extractor", str(tmp_path / "none.jsonl"), "--out", out)
    assert (code, err.count("\n")) == (1, 1)
    assert "cannot be read: no such file" in err
    code, _, err = command("train-extractor", str(empty), "--out", str(tmp_path / "no" / "m.json"))
    assert (code, err.count("\n")) == (1, 1)
    assert "there is no folder" in err
    assert not list(tmp_path.glob("*.json"))


@pytest.mark.parametrize("arguments", [(), ("list.jsonl",), ("list.jsonl", "--out", "m.json", "--nonsense")])
def test_wrong_usage_is_2(command: Command, arguments: tuple[str, ...]) -> None:
    assert command("train-extractor", *arguments)[0] == 2


def test_a_wrong_model_is_said_once(listing: Path, command: Command) -> None:
    page, bad = listing.with_name("第1页.html"), listing.with_name("bad.json")
    bad.write_text("{}")
    for source in ([str(page)], ["--pages", str(listing)]):
        code, out, err = command("extract", *source, "--method", "density_svm", "--model", str(bad))
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert "no model of density_svm" in err
        code, out, err = command("extract", *source, "--method", "blocks", "--model", str(bad))
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert 'extractor "blocks" takes no model' in err
        assert command("extract", *source, "--model", str(bad))[0] == 2
