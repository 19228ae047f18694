"""The laboratory: what compares crawlers and extractors, and no crawl needs.

Strategies of the literature, crawls of recorded and generated webs, alternative extractors and their training.
"""
