"""Seeds of a crawl: from bookmarks, lists, sitemaps and earlier runs, or found by search engines."""
