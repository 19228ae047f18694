"""Tables that are wider than what they are written to."""

from __future__ import annotations

import pytest

from focuscrawl.cli.console import print_table


def test_a_table_that_is_too_wide_keeps_its_names_and_figures(capsys: pytest.CaptureFixture[str]) -> None:
    heads = ["strategy", *(f">recall after {n},000 pages" for n in range(1, 9))]
    print_table(heads, [("breadth-first", *["0.125"] * 8), ("a name of six and twenty letters", *["1.000"] * 8)])
    head, _, *rows = capsys.readouterr().out.strip().splitlines()
    assert [part.strip() for part in head.split("   ") if part] == [name.removeprefix(">") for name in heads]
    assert rows[0].split() == ["breadth-first", *["0.125"] * 8]
    assert "".join(row.split("   ")[0] for row in rows[1:]).replace(" ", "") == "anameofsixandtwentyletters"


def test_names_are_folded_where_that_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("host", ">pages"), [("long-host-name." * 12 + "example", "5")])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 120
