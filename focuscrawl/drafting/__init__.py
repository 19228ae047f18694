"""Topic drafts: from a sentence, words, a class, bookmarks, examples or an earlier run to a topic file."""
