"""What a person reads of focuscrawl, in English and Chinese: the one source of its texts.

A module per part of the program holds `Text` constants, both languages of a text beside each other. Python tables and
not gettext catalogues: a text that lacks a language or an argument that is not there is found by mypy and by one test,
a key cannot be misspelt, both languages are reviewed in one line of a diff, and nothing has to be compiled to run from
a checkout. Log lines, errors and stored data stay in English: people search for them, and programs read them.
"""
