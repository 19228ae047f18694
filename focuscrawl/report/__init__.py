"""What a crawl achieved: figures, charts, and the self-contained HTML report."""
