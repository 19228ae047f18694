"""Coming back to pages: how often they change, how often each is asked for again, and in which order."""
