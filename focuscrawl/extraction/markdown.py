"""Main content as Markdown (CommonMark with the tables of GitHub): headings, lists, tables, links and code are kept.

An extractor finds text, not elements. Its lines are those of the page's one list of lines (`focuscrawl.extraction.
segments`), so the lines are looked up there again, and what stands around them in the tree says how to write them. That
holds for every extractor, and for a text of which site-wide lines have been taken out since.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from focuscrawl.extraction.markdown_inline import escaped, fenced, inline_lines
from focuscrawl.extraction.segments import HEADINGS, PRE, Segments, tree_lines
from focuscrawl.page.tree import Element, PageTree
from focuscrawl.page.urls import normalize_url
from focuscrawl.text.normalize import nfc

_CELL = " | "
_CELL_CHARS = 300  # a longer cell is no datum but a column of the page's layout
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_MAX_BARS = 4  # in a cell
_MAX_FILLED = 50  # columns; wider tables would grow with the product of rows and columns
_NO_CELL = (-1, -1, -1)
_AROUND = frozenset({"li", "blockquote", "dt", *PRE, *HEADINGS})
_MAX_AROUND = 20  # levels of lists and quotations that are shown


def to_markdown(text: str, tree: PageTree | None, url: str) -> str:
    """Return main content as Markdown; '' for none.

    What cannot be found on the page any more is written as plain paragraphs.

    Parameters
    ----------
    text
        The main content, as an extractor returned it from this page, or part of it.
    tree
        The page; without one there is plain text only.
    url
        Address of the page, for its links.
    """
    if not text:
        return ""
    if tree is None:
        return "\n\n".join(escaped(line) for line in text.split("\n") if line.strip())
    found = tree.once(tree_lines)
    return _Writer(found, _base(tree, url)).write(_aligned(text, found))


def _aligned(text: str, found: Segments) -> list[int | str]:
    """Return the numbers of the lines that make up `text`, in order; as text what is none of them."""
    lines = [nfc(line.text) for line in found.lines]
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        places[line.partition("\n")[0]].append(number)
    chosen: list[int | str] = []
    last, at = -1, 0
    while at < len(text):
        end = text.find("\n", at)
        row = text[at : end if end >= 0 else len(text)]
        for line in _beginnings(row):
            numbers = places.get(line, ())
            next_one = bisect_right(numbers, last)
            if next_one < len(numbers) and text.startswith(lines[numbers[next_one]], at):
                last = numbers[next_one]
                chosen.append(last)
                at += len(lines[last])
                break
        else:
            chosen.append(row)
            at += len(row)
        at += len(_CELL) if text.startswith(_CELL, at) else 0
        while at < len(text) and text[at] == "\n":
            at += 1
    return _drawn_together(chosen, lines)


def _beginnings(row: str) -> Iterator[str]:
    """Yield a line of text, then what may be its first cell, which may itself hold what stands between cells."""
    yield row
    end = 0
    for _ in range(_MAX_BARS):
        end = row.find(_CELL, end)
        if end < 0:
            return
        yield row[:end]
        end += len(_CELL)


def _drawn_together(chosen: list[int | str], lines: Sequence[str]) -> list[int | str]:
    """Return the same lines where they stand nearest to what follows: a title of the text, not that of the menu."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        places[line].append(number)
    following = -1
    for at in range(len(chosen) - 1, -1, -1):
        line_number = chosen[at]
        if isinstance(line_number, str):
            continue
        numbers = places[lines[line_number]]
        following = numbers[bisect_left(numbers, following) - 1] if following >= 0 else line_number
        chosen[at] = following
    return chosen


class _Writer:
    """Writes lines of a page as blocks of Markdown."""

    def __init__(self, found: Segments, base: str) -> None:
        self.found = found
        self.base = base
        self._inline: dict[int, dict[str, str]] = {}
        self._parts: list[str] = []  # blocks, and what stands between them
        self._last = -1  # line written last
        self._items: dict[int, int] = {}  # node of a list -> items so far
        self._seen: set[int] = set()  # nodes of items that have their mark
        self._around: dict[int, tuple[int, ...]] = {-1: ()}
        self._cells_around: dict[int, tuple[int, int, int]] = {-1: _NO_CELL}
        self._layout: set[int] = set()  # tables without data
        self._numbers = {id(node.element): at for at, node in enumerate(found.nodes)}

    def write(self, chosen: Sequence[int | str]) -> str:
        """Return the Markdown of lines and of plain texts."""
        at = 0
        while at < len(chosen):
            line = chosen[at]
            if isinstance(line, str):
                self._add("\n\n", escaped(line))
                self._last = -1
                at += 1
                continue
            end = self._table_end(chosen, at)
            if end > at:
                self._add("\n\n", self._table([number for number in chosen[at:end] if isinstance(number, int)]))
                self._last = -1
            else:
                end = self._code_end(chosen, at)
                self._line(line, [number for number in chosen[at:end] if isinstance(number, int)])
            at = end
        return nfc("".join(self._parts))

    def _add(self, between: str, text: str) -> None:
        if self._parts:
            self._parts.append(between)
        self._parts.append(text)

    # ----------------------------------------------------------------- lines

    def _line(self, number: int, code: Sequence[int]) -> None:
        """Write a line; `code` are the lines of a block of code that begins with it, or itself."""
        nodes, line = self.found.nodes, self.found.lines[number]
        around = self._blocks_around(line.node)
        tags = [nodes[at].tag for at in around]
        before = self.found.lines[self._last] if self._last >= 0 else None
        if tags and tags[-1] in PRE:
            text = fenced("\n".join(self.found.lines[at].text for at in code), nodes[around[-1]].element)
        else:
            text = self._marked(number)
            heading = next((tag for tag in reversed(tags) if tag in HEADINGS), None)
            if heading is not None:
                text = f"{'#' * int(heading[1])} {text}"
            elif tags and tags[-1] == "dt":
                text = f"**{text}**" if "**" not in text else text
        quote = "> " * sum(tag == "blockquote" for tag in tags)
        indent, mark = self._item(around)
        prefix = quote + indent
        rest = prefix + " " * len(mark)
        body = text.replace("\n", "\n" + rest)
        if before is not None and before.node == line.node and line.gap == 1 and self._last == number - 1:
            self._add("  \n", rest + body if not mark else prefix + mark + body)
        elif mark and before is not None and self._is_in(before.node, "li"):
            self._add("\n", prefix + mark + body)
        else:
            blank = (
                f"\n{quote.rstrip()}\n"
                if quote and before is not None and self._is_in(before.node, "blockquote")
                else "\n\n"
            )
            self._add(blank, prefix + mark + body)
        self._last = code[-1]

    def _item(self, around: Sequence[int]) -> tuple[str, str]:
        """Return the indent of a line in lists, and the mark of its item when it is the first of that."""
        nodes = self.found.nodes
        indent, mark = "", ""
        for at in around:
            if nodes[at].tag != "li":
                continue
            parent = nodes[at].parent
            while parent >= 0 and nodes[parent].tag not in _LISTS and nodes[parent].tag != "li":
                parent = nodes[parent].parent
            ordered = parent >= 0 and nodes[parent].tag == "ol"
            indent += " " * len(mark)
            if at in self._seen:
                indent += "   " if ordered else "  "
                mark = ""
                continue
            self._seen.add(at)
            count = self._items[parent] = (
                self._items.get(parent, _start(nodes[parent].element) - 1 if ordered else 0) + 1
            )
            mark = f"{count}. " if ordered else "- "
        return indent, mark

    def _is_in(self, node: int, tag: str) -> bool:
        return any(self.found.nodes[at].tag == tag for at in self._blocks_around(node))

    def _blocks_around(self, node: int) -> tuple[int, ...]:
        """Return the blocks around a line that change how it is written, the outermost first."""
        nodes, known, path = self.found.nodes, self._around, []
        while node not in known:
            path.append(node)
            node = nodes[node].parent
        around = known[node]
        for at in reversed(path):
            if nodes[at].tag in _AROUND and (len(around) < _MAX_AROUND or nodes[at].tag in PRE):
                around = (*around[:_MAX_AROUND], at)
            known[at] = around
        return around

    def _code_end(self, chosen: Sequence[int | str], at: int) -> int:
        """Return where the lines of a block of code that begin at `at` end; `at` + 1 where there is none."""
        first = chosen[at]
        assert isinstance(first, int)
        around = self._blocks_around(self.found.lines[first].node)
        end = at + 1
        if around and self.found.nodes[around[-1]].tag in PRE:
            while end < len(chosen) and isinstance(number := chosen[end], int):
                if self._blocks_around(self.found.lines[number].node) != around:
                    break
                end += 1
        return end

    def _marked(self, number: int) -> str:
        """Return a line with its links, code and emphasis."""
        line = self.found.lines[number]
        inline = self._inline.get(line.node)
        if inline is None:
            inline = self._inline[line.node] = inline_lines(self.found.nodes[line.node].element, self.base)
        return inline.get(line.text) or escaped(line.text)

    # ---------------------------------------------------------------- tables

    def _table_end(self, chosen: Sequence[int | str], at: int) -> int:
        """Return where the lines of a table of data that begin at `at` end; `at` where there is none."""
        first = chosen[at]
        assert isinstance(first, int)
        table, row, _ = self._cell(self.found.lines[first].node)
        if table < 0 or table in self._layout:
            return at
        end, rows, wide = at, {row}, False
        while end < len(chosen) and isinstance(number := chosen[end], int):
            line = self.found.lines[number]
            its_table, its_row, _ = self._cell(line.node)
            if its_table != table:
                break
            if len(line.text) >= _CELL_CHARS or "\n" in line.text:
                wide = False
                break
            wide = wide or (end > at and its_row in rows)
            rows.add(its_row)
            end += 1
        if wide:
            return end
        self._layout.add(table)
        return at

    def _cell(self, node: int) -> tuple[int, int, int]:
        """Return the innermost table, row and cell around a block, -1 each for none."""
        nodes, known, path = self.found.nodes, self._cells_around, []
        while node not in known:
            path.append(node)
            node = nodes[node].parent
        table, row, cell = known[node]
        for at in reversed(path):
            tag = nodes[at].tag
            if tag == "table":
                table, row, cell = at, -1, -1
            elif tag == "tr":
                row = at
            elif tag in ("td", "th"):
                cell = at
            known[at] = table, row, cell
        return (table, row, cell) if min(table, row, cell) >= 0 else _NO_CELL

    def _table(self, numbers: Sequence[int]) -> str:
        rows: dict[int, dict[int, list[str]]] = {}
        for number in numbers:
            _, row, cell = self._cell(self.found.lines[number].node)
            rows.setdefault(row, {}).setdefault(cell, []).append(self._marked(number).replace("|", "\\|"))
        cells = []
        taken: dict[int, int] = {}
        before: Element | None = None
        for row, texts in rows.items():
            element = self.found.nodes[row].element
            # Rows that are not written take their part of cells that several rows share, too.
            for skipped in _rows_between(before, element, taken):
                _columns(skipped, taken)
            cells.append(self._cells(element, texts, taken))
            before = element
        width = max(map(len, cells))
        # The first row says how many columns there are; of others, readers take what is missing for empty.
        cells[0] += [""] * (width - len(cells[0]))
        filled = width if width <= _MAX_FILLED else 0
        lines = [f"| {' | '.join([*row, *[''] * (filled - len(row))])} |" for row in cells]
        lines.insert(1, f"|{' --- |' * width}")
        return "\n".join(lines)

    def _cells(self, row: Element, texts: dict[int, list[str]], taken: dict[int, int]) -> list[str]:
        """Return the cells of a row in their columns: those without text are empty, wide and high ones take several."""
        cells: list[str] = []
        last = 0
        for element in _columns(row, taken):
            number = self._numbers.get(id(element), -1) if element is not None else -1
            cells.append("<br>".join(texts.get(number, ())))
            if cells[-1]:
                last = len(cells)
        return cells[: max(last, 1)]


def _columns(row: Element, taken: dict[int, int]) -> list[Element | None]:
    """Return the cell that stands in each column of a row, None where one from the left or from above goes on.

    Parameters
    ----------
    taken
        Column -> how many rows from this one on a cell of a row above takes; brought up to the row below.
    """
    columns: list[Element | None] = []

    def pass_taken() -> None:
        while (rows := taken.pop(len(columns), 0)) > 0:
            if rows > 1:
                later[len(columns)] = rows - 1
            columns.append(None)

    later: dict[int, int] = {}
    for element in row:
        if element.tag not in ("td", "th"):
            continue
        pass_taken()
        wide, high = min(_span(element, "colspan"), 20), _span(element, "rowspan")
        if high > 1:
            later.update(dict.fromkeys(range(len(columns), min(len(columns) + wide, _MAX_FILLED)), high - 1))
        columns += [element, *[None] * (wide - 1)]
    pass_taken()
    for at, rows in taken.items():
        if rows > 1:
            later.setdefault(at, rows - 1)
    taken.clear()
    taken.update(later)
    return columns


def _rows_between(before: Element | None, row: Element, taken: dict[int, int]) -> list[Element]:
    """Return the rows between two of a table; those of another part of it begin without cells from above."""
    if before is None or not taken:
        return []
    if before.getparent() is not row.getparent():
        taken.clear()
        return []
    return list(takewhile(lambda beside: beside is not row, before.itersiblings("tr")))


def _span(cell: Element, name: str) -> int:
    span = cell.get(name) or ""
    return int(span) or 1 if span.isascii() and span.isdigit() and len(span) < 4 else 1


def _base(tree: PageTree, url: str) -> str:
    for element in tree.root.iter("base"):
        return normalize_url(element.get("href") or "", url) or url
    return url


def _start(element: Element) -> int:
    start = (element.get("start") or "").strip()
    return int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
