"""Words: normal form, tokens, stop words, vectors, background frequencies, languages, term-order distance."""
