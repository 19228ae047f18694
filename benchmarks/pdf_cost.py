"""What a PDF costs: ``python benchmarks/pdf_cost.py FOLDER`` reads every PDF in it as a crawl does.

Prints, in milliseconds of processor time: the start of the reader, its work on each file a page of the PDF, and what
the crawl's own process then takes to parse the text.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

from focuscrawl.page.analysis import analyse
from focuscrawl.page.documents import pdf_html
from focuscrawl.page.pdf import PdfError, PdfReader
from focuscrawl.text.tokenize import make_auto

_PAGES, _CHARS = 50, 500_000  # as in a crawl


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    files = sorted(parser.parse_args().folder.glob("*.pdf"))
    tokenizer = make_auto()
    analyse(b"<p>warm", "http://example.org/", tokenizer=tokenizer)
    start = _child_s([])
    print(json.dumps({"start_ms": round(1000 * start)}))
    for path in files:
        body = path.read_bytes()
        child = min(_child_s([body]) for _ in range(2)) - start
        with PdfReader(pages=_PAGES, chars=_CHARS) as reader:
            try:
                found = reader.read(body)
            except PdfError as error:
                print(json.dumps({"file": path.name, "reason": str(error)}))
                continue
        before = time.process_time()
        page = analyse(pdf_html(found), f"http://example.org/{path.name}", tokenizer=tokenizer)
        own = time.process_time() - before
        told = {
            "file": path.name,
            "kB": len(body) >> 10,
            "pages": len(found.pages),
            "chars": len(found.text),
            "child_ms": round(1000 * child),
            "own_ms": round(1000 * own, 1),
            "words": len(page.tokens),
        }
        print(json.dumps(told))


def _child_s(bodies: list[bytes]) -> float:
    """Return the processor time of a reader that starts, reads `bodies`, and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with PdfReader(pages=_PAGES, chars=_CHARS) as reader:
        for body in [b"%PDF-", *bodies]:  # the first loads pypdf
            try:
                reader.read(body)
            except PdfError:
                continue
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
