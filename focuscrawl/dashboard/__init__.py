"""The dashboard: a live page about a run in the browser of the same machine, and orders to its crawl."""
