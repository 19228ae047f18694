"""The ``focuscrawl`` command: everything that needs no crawl of its own."""
