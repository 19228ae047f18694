"""Rate of a crawl: pages a second of the last seconds."""

from __future__ import annotations

from collections import deque


class PageRate:
    """Rate between the last look and the one about so many seconds before it.

    Parameters
    ----------
    span_s
        Seconds, as far as there are looks so old.
    """

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._looks: deque[tuple[float, int]] = deque()

    def at(self, now: float, pages: int) -> float:
        """Note how many pages there are at a Unix time; return the pages a second, 0 while no time has passed.

        After the clock was set back the looks before it say nothing of the time since, and it begins anew.
        """
        looks = self._looks
        if looks and now < looks[-1][0]:
            looks.clear()
        looks.append((now, pages))
        while len(looks) > 2 and looks[1][0] < now - self._span_s:
            looks.popleft()
        then, before = looks[0]
        return (pages - before) / (now - then) if now > then else 0.0
