"""Report of a crawl: figures, charts, and the self-contained HTML page."""
