"""The feeds of the sample web, in RSS 2.0 and Atom 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from email.utils import format_datetime
from html import escape

from focuscrawl.demo.layouts import Site
from focuscrawl.demo.library import Story

Entries = Sequence[tuple[Story, str]]  # story, absolute address


def rss(site: Site, entries: Entries) -> str:
    """Return an RSS feed in the site's own encoding."""
    rows = "".join(
        f"<item><title>{escape(story.title)}</title><link>{escape(url)}</link><guid>{escape(url)}</guid>"
        f"<pubDate>{format_datetime(_noon(story))}</pubDate>"
        f"<description>{escape(story.excerpt)}</description></item>\n"
        for story, url in entries
    )
    return (
        f'<?xml version="1.0" encoding="{site.charset}"?>\n<rss version="2.0"><channel>\n'
        f"<title>{escape(site.name)}</title><link>http://{site.host}/</link>"
        f"<description>{escape(site.motto or site.name)}</description><language>{site.language}</language>\n"
        f"{rows}</channel></rss>\n"
    )


def atom(site: Site, entries: Entries) -> str:
    """Return an Atom feed in the site's own encoding."""
    rows = "".join(
        f'<entry><title>{escape(story.title)}</title><link href="{escape(url)}"/><id>{escape(url)}</id>'
        f"<updated>{_noon(story).isoformat()}</updated><author><name>{escape(story.author)}</name></author>"
        f"<summary>{escape(story.excerpt)}</summary></entry>\n"
        for story, url in entries
    )
    newest = max(_noon(story) for story, _ in entries).isoformat()
    return (
        f'<?xml version="1.0" encoding="{site.charset}"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f'<title>{escape(site.name)}</title><link href="http://{site.host}/"/><id>http://{site.host}/</id>'
        f"<updated>{newest}</updated>\n{rows}</feed>\n"
    )


def _noon(story: Story) -> datetime:
    return datetime.combine(story.published, time(12), UTC)
