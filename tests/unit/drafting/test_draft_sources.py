"""Texts of pages, files and PDFs, and the draft of a language model."""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path

import pytest
from pdf_kit import pdf

from focuscrawl.drafting.model_draft import read_draft
from focuscrawl.drafting.texts import ExampleError, read_example, text_of
from focuscrawl.errors import TopicError
from focuscrawl.page.pdf import MOST_CHARS, MOST_PAGES, PdfError, is_pdf, pdf_text
from focuscrawl.seeding.imports import is_address_file
from focuscrawl.teaching.language_model import ModelError
from focuscrawl.text.tokenize import make_auto

TOKENIZER = make_auto()
CHINESE = "榫卯是两个木构件之间的一种连接方式，凸出的部分叫榫，凹进的部分叫卯，明式家具的榫卯不用一根铁钉。"


def test_title_and_text_of_a_pdf() -> None:
    pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    assert pdf_text(pdf(["Escapement and balance", "Second page"], title="Watches"), "a.pdf") == (
        "Watches",
        "Escapement and balance\nSecond page",
    )


def test_a_pdf_is_read_within_bounds() -> None:
    pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    _, text = pdf_text(pdf([f"page {number}" for number in range(MOST_PAGES + 5)]), "a.pdf")
    assert text.count("page") == MOST_PAGES
    _, text = pdf_text(pdf(["x" * 30_000] * 4), "a.pdf")
    assert len(text.replace("\n", "")) == MOST_CHARS


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (pdf([""]), "a.pdf: a PDF without text"),
        (b"%PDF-1.4\nrubbish", "a.pdf: damaged PDF"),
        (pdf(["some text"])[:200], "a.pdf: damaged PDF"),
    ],
    ids=["scan", "rubbish", "cut"],
)
def test_a_pdf_without_text_is_one_sentence(content: bytes, sentence: str) -> None:
    pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    with pytest.raises(PdfError) as raised:
        pdf_text(content, "a.pdf")
    assert str(raised.value).startswith(sentence)
    assert "\n" not in str(raised.value)


def test_an_encrypted_pdf_is_one_sentence() -> None:
    pypdf = pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    writer = pypdf.PdfWriter(clone_from=BytesIO(pdf(["secret words"])))
    writer.encrypt("password", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    with pytest.raises(PdfError, match="encrypted"):
        pdf_text(out.getvalue(), "a.pdf")


def test_without_pypdf_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(PdfError, match=r"pip install 'focuscrawl\[pdf\]'"):
        pdf_text(pdf(["text"]), "a.pdf")


def test_pdfs_are_told_by_how_they_begin() -> None:
    assert is_pdf(b"junk\n%PDF-1.7 ...")
    assert not is_pdf(b"<html>%PDX-")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (
            f"<html><head><meta charset=gbk><title>榫卯</title></head><body><p>{CHINESE}</p></body></html>".encode(
                "gbk"
            ),
            None,
        ),
        (
            f"<html><head><title>榫卯</title></head><body><p>{CHINESE}</p></body></html>".encode("gbk"),
            "text/html; charset=GBK",
        ),
        (CHINESE.encode("gbk") * 3, "text/plain"),
        (CHINESE.encode(), None),
    ],
    ids=["gbk-meta", "gbk-header", "gbk-text", "utf-8-text"],
)
def test_texts_in_chinese_encodings_are_read(body: bytes, kind: str | None) -> None:
    found = text_of(body, name="x", tokenizer=TOKENIZER, content_type=kind)
    assert "凸出的部分叫榫" in found.text


def test_what_has_no_text_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExampleError, match="hardly any text"):
        text_of(b"<html><body></body></html>", name="x", tokenizer=TOKENIZER)
    with pytest.raises(ExampleError, match="image/png"):
        text_of(b"\x89PNG", name="x", tokenizer=TOKENIZER, content_type="image/png")
    with pytest.raises(ExampleError, match="binary data"):
        text_of(b"\x7fELF\0\0", name="x", tokenizer=TOKENIZER)
    with pytest.raises(TopicError, match="no such file"):
        read_example(tmp_path / "gone.html", TOKENIZER)


@pytest.mark.parametrize(
    ("content", "is_one"),
    [
        (b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL></DL>", True),
        (b'<?xml version="1.0"?>\n<opml version="2.0"></opml>', True),
        (b"# mine\nhttp://a.example/\nhttp://b.example/\n", True),
        (json.dumps({"roots": {"bar": {"children": [{"url": "http://a.example/", "name": "A"}]}}}).encode(), True),
        (b"{not json", False),
        (b"<html><a href='http://a.example/'>a</a></html>", False),
        (b"A text that names http://a.example/ once.\nAnd goes on.\n", False),
        (b"", False),
    ],
)
def test_files_of_addresses_are_told_by_what_is_in_them(tmp_path: Path, content: bytes, is_one: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert is_address_file(path) is is_one
    assert not is_address_file(tmp_path / "gone")


def test_a_models_draft_is_cleaned() -> None:
    paragraph = "The balance wheel of a watch swings five times a second, " * 2
    answer = {
        "title": "Watch repair",
        "terms": {"balance wheel": 1, "escapement": 0.8, "bad": 7, "": 1, "x\x1b[31m": 0.5, "true": True},
        "synonyms": {"escapement": ["擒纵机构", 3, ""], "unknown": ["a"]},
        "paragraphs": [paragraph, "short", 3],
    }
    found = read_draft(f"Here it is:\n```json\n{json.dumps(answer)}\n```", by="m")
    assert found.title == "Watch repair"
    assert found.terms == {"balance wheel": 1.0, "escapement": 0.8}
    assert found.synonyms == {"escapement": ("擒纵机构",)}
    assert [(one.by, one.text) for one in found.samples] == [("m", paragraph.strip())]
    assert read_draft('{"terms": ["a", 3, "b"]}', by="m").terms == {"a": 0.7, "b": 0.7}


@pytest.mark.parametrize(
    "content", ["", "I cannot.", "{", '{"terms": {}}', '{"terms": 3}', "[" * 10_000, "{" * 5000 + "}"]
)
def test_an_answer_that_is_no_draft_is_one_sentence(content: str) -> None:
    with pytest.raises(ModelError, match="no draft"):
        read_draft(content, by="m")
