"""Options of the page step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepOptions:
    """Choices of the page step; the settings of the same names explain them."""

    max_links: int = 500
    keep_irrelevant: bool = False
    keep_near_misses: bool = True
    obey_meta_robots: bool = True
    follow_images: bool = False
    ftp: bool = False
    markdown: bool = False
    follow_links: bool = True  # False: of pages that are there already, as in archives
    pdf: bool = False  # links to PDFs are links to pages

    @property
    def sets_near_misses_aside(self) -> bool:
        """Whether near misses are kept beside the results, where irrelevant pages are not kept anyway."""
        return self.keep_near_misses and not self.keep_irrelevant
