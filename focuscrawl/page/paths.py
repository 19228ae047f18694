"""Tag paths of elements, with and without ids and classes (algorithms A.1, J.9)."""

from __future__ import annotations

from focuscrawl.page.tree import Element

Path = tuple[str, ...]
# Longer names and longer lists of classes come from scripts, and tell paths apart that are one.
_ID_CHARS = 64
_CLASSES = 8
_STEP_CHARS = 200


class _Node:
    """A path, and the paths one step longer: equal paths of a page are one object."""

    __slots__ = ("path", "signature", "steps")

    def __init__(self, path: Path, signature: Path) -> None:
        self.path = path
        self.signature = signature
        self.steps: dict[tuple[str, str | None, str | None], _Node] = {}


class PathMemo:
    """Paths of the elements of one tree; what elements share is made once."""

    __slots__ = ("_known", "_top")

    def __init__(self) -> None:
        self._known: dict[Element, _Node] = {}
        self._top = _Node((), ())

    def of(self, element: Element) -> tuple[Path, Path]:
        """Return the tag names from the root to `element`, plain and with ``#id`` and ``.class``."""
        node = self._node(element)
        return node.path, node.signature

    def _node(self, element: Element) -> _Node:
        known = self._known
        missing = [element]
        up = element.getparent()
        node = self._top
        while up is not None:
            found = known.get(up)
            if found is not None:
                node = found
                break
            missing.append(up)
            up = up.getparent()
        for step in reversed(missing):
            key = (step.tag, step.get("id"), step.get("class"))
            longer = node.steps.get(key)
            if longer is None:
                tag, identity, names = key
                sign = tag
                if identity and not identity.isspace():
                    sign = f"{sign}#{'_'.join(identity.split())[:_ID_CHARS]}"
                if names:
                    sign = ".".join([sign, *names.split()[:_CLASSES]])[:_STEP_CHARS]
                longer = node.steps[key] = _Node((*node.path, tag), (*node.signature, sign))
            node = longer
            if step is not element:
                known[step] = node
        return node
