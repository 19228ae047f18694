-- Returns the totals of all workers.
-- uses: totals
return totals()
