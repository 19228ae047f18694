"""PDFs as pages: read in a process of their own, within bounds."""

from __future__ import annotations

import os
import signal
import threading
import zlib
from collections.abc import Iterator

import pytest
from pdf_kit import pdf, pdf_of

from focuscrawl.page.analysis import analyse
from focuscrawl.page.documents import linked, pdf_html
from focuscrawl.page.pdf import PdfError, PdfLink, PdfPage, PdfReader, PdfText, is_pdf
from focuscrawl.text.tokenize import make_auto

pytest.importorskip("pypdf", reason="the extra pdf is not installed")

# 94 kB that unpack to 45 MB of text, which takes pypdf minutes.
SWOLLEN = pdf_of(
    [zlib.compress(b"BT /F1 12 Tf " + b"(lighthouse) Tj " * 3_000_000 + b"ET", 9)], coding="/Filter /FlateDecode"
)


@pytest.fixture
def reader() -> Iterator[PdfReader]:
    with PdfReader() as made:
        yield made


def test_a_pdf_has_text_title_and_links(reader: PdfReader) -> None:
    found = reader.read(
        pdf(["The keeper\nSee the fog signal", "Second"], title="Lamps", links=[("http://a.org/b?c=1&d", 680)])
    )
    link = PdfLink("http://a.org/b?c=1&d", "See the fog signal")
    assert found == PdfText("Lamps", (PdfPage("The keeper\nSee the fog signal", (link,)), PdfPage("Second")))


def test_the_text_of_a_link_is_what_begins_inside_its_edges(reader: PdfReader) -> None:
    # The place of the link is 70 to 300; printers round both.
    pieces = ((30, "See"), (69.8, "the lens"), (299.7, "of the lamp"))
    line = " ".join(f"BT /F1 12 Tf {x} 640 Td ({text}) Tj ET" for x, text in pieces)
    (page,) = reader.read(pdf_of([line.encode()], links=[("http://a.org/lens", 640)])).pages
    assert page.links == (PdfLink("http://a.org/lens", "the lens"),)


@pytest.mark.parametrize(
    ("whole", "damaged"),
    [
        (b"/Rect", b"/Rexx"),
        (b"300 692]", b"] %    \n"),
        (b"/Annots [<<", b"/Annots [null <<"),
        (b"/Annots [<<", b"/Annots [99 0 R <<"),
        (b"/Annots", b"/Annots 5 /Others"),
        (b"/A <<", b"/A /None /B <<"),
    ],
)
def test_a_damaged_link_costs_itself(reader: PdfReader, whole: bytes, damaged: bytes) -> None:
    content = pdf(["The keeper"], links=[("http://a.org/b", 680)])
    assert whole in content
    assert reader.read(content.replace(whole, damaged)).text == "The keeper"


def test_a_page_that_speaks_of_pdfs_is_none() -> None:
    assert is_pdf(b"\xef\xbb\xbf\n%PDF-1.7")
    assert not is_pdf(b"\xef\xbb\xbf\n<!DOCTYPE html><title>How a file begins: %PDF-1.7</title>")


def test_as_a_page_it_has_paragraphs_and_links_where_they_stand() -> None:
    found = PdfText(
        "Microsoft Word - lamps.doc",
        (
            PdfPage(
                "Lamps and light-\nhouses of the whole long northern coast\nare <old>.\n"
                "See http://b.org/x. And the fog signal.",
                (PdfLink("http://a.org/fog?a&b", "the fog signal"), PdfLink("http://c.org/", "")),
            ),
            PdfPage("灯塔的灯\n照得很远"),
        ),
    )
    page = analyse(pdf_html(found), "http://a.org/a.pdf", content_type="text/html", tokenizer=make_auto())
    assert page.title == "Lamps and light-"
    text = pdf_html(found).decode()
    assert "<p>Lamps and lighthouses of the whole long northern coast are &lt;old&gt;.</p>" in text
    assert "<p>灯塔的灯照得很远</p>" in text
    assert [(link.url, link.anchor) for link in page.links] == [
        ("http://b.org/x", "http://b.org/x"),
        ("http://a.org/fog?a&b", "the fog signal"),
        ("http://c.org/", "http://c.org/"),
    ]


def test_addresses_in_plain_text_are_links() -> None:
    body = "Lamps: https://a.org/b(c), (https://d.org/e)\nand http://中.org/灯塔。".encode()
    page = analyse(body, "http://x.org/", content_type="text/plain", tokenizer=make_auto())
    assert [link.url for link in page.links] == [
        "https://a.org/b",
        "https://d.org/e",
        "http://xn--fiq.org/%E7%81%AF%E5%A1%94",
    ]
    assert linked("no address & none") == "no address &amp; none"


def test_only_so_many_pages_and_characters_are_read() -> None:
    with PdfReader(pages=3, chars=10) as reader:
        assert [page.text for page in reader.read(pdf(["a", "b", "c", "d"])).pages] == ["a", "b", "c"]
        assert [page.text for page in reader.read(pdf(["123456", "789012", "x"])).pages] == ["123456", "7890"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"%PDF-1.4\nrubbish", "damaged PDF: "),
        (pdf(["text"])[:200], "damaged PDF: "),
        (pdf([" "]), "a PDF without text"),
    ],
)
def test_a_pdf_without_text_says_why_and_the_next_is_read(reader: PdfReader, body: bytes, reason: str) -> None:
    with pytest.raises(PdfError) as raised:
        reader.read(body)
    assert str(raised.value).startswith(reason)
    assert reader.read(pdf(["text"])).text == "text"


def test_of_a_title_without_end_the_beginning_is_read(reader: PdfReader) -> None:
    # What the process answers is held by the crawl, which no limit of the process bounds.
    assert len(reader.read(pdf(["The keeper"], title="a" * 100_000)).title) == 1000


def test_a_pdf_that_computes_too_long_is_ended() -> None:
    with PdfReader(cpu_s=1.0) as reader:
        with pytest.raises(PdfError, match="more than 1 s of processor time"):
            reader.read(SWOLLEN)
        assert reader.read(pdf(["text"])).text == "text"


def test_a_pdf_that_takes_too_much_memory_is_ended() -> None:
    with PdfReader(cpu_s=0.0, memory_bytes=160 << 20) as reader:
        with pytest.raises(PdfError, match="more memory"):
            reader.read(SWOLLEN)
        assert reader.read(pdf(["text"])).text == "text"


def test_a_reader_that_is_killed_is_replaced(reader: PdfReader) -> None:
    assert reader.read(pdf(["one"])).text == "one"
    process = reader._child.process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert reader.read(pdf(["two"])).text == "two"


def test_a_reader_that_is_closed_leaves_nobody_waiting(reader: PdfReader) -> None:
    reader.read(pdf(["one"]))
    process, raised = reader._child.process, []
    assert process is not None

    def read() -> None:
        try:
            reader.read(SWOLLEN)
        except PdfError as error:
            raised.append(str(error))

    thread = threading.Thread(target=read)
    thread.start()
    reader.close()
    thread.join()
    assert process.poll() is not None
    reader.close()
