"""Link analysis of whole graphs: PageRank and HITS."""
