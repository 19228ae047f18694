"""The sample web that ships with the package, and the crawl of it that `focuscrawl demo` shows."""
