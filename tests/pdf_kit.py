"""PDFs made by hand, byte for byte the same each time."""

from __future__ import annotations

from collections.abc import Sequence


def pdf(pages: Sequence[str], *, title: str = "", links: Sequence[tuple[str, float]] = ()) -> bytes:
    """Return a PDF with lines of text on each page, 20 points apart from 700 points above its foot on.

    Parameters
    ----------
    links
        Of the first page: an address, and the height of the line it stands at.
    """
    streams = []
    for text in pages:
        lines = " 0 -20 Td ".join(f"({line}) Tj" for line in text.split("\n"))
        streams.append(f"BT /F1 12 Tf 72 700 Td {lines} ET".encode("latin-1"))
    return pdf_of(streams, title=title, links=links)


def pdf_of(
    streams: Sequence[bytes], *, title: str = "", links: Sequence[tuple[str, float]] = (), coding: str = ""
) -> bytes:
    """Return a PDF of pages with these contents, which are as `coding` says ("/Filter /FlateDecode")."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(streams)))
    notes = " ".join(
        f"<< /Type /Annot /Subtype /Link /Rect [70 {y - 4} 300 {y + 12}] /A << /S /URI /URI ({url}) >> >>"
        for url, y in links
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, content in enumerate(streams):
        annotations = f"/Annots [{notes}]" if notes and at == 0 else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * at} 0 R {annotations}"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(content)} {coding} >>\nstream\n".encode() + content + b"\nendstream")
    objects.append(f"<< /Title ({title}) >>".encode("latin-1"))
    out = b"%PDF-1.4\n"
    starts = []
    for number, body in enumerate(objects, start=1):
        starts.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = "".join(f"{start:010} 00000 n \n" for start in starts)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    return out + f"{head}{table}trailer\n{trailer}\nstartxref\n{len(out)}\n%%EOF\n".encode()
