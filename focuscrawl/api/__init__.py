"""Python interface: what `import focuscrawl` offers."""
