-- title: Block sizes
-- group: histograms
-- does: counts the basic blocks of each size, in instructions
-- needs: FUNCTION optional
-- parameter: longest 50 blocks of this size and longer share one row
-- shows: histogram
select case when instruction_count < :longest then cast(instruction_count as text) else :longest || ' or more' end
           as size,
       count(*) as blocks
  from blocks
 where function is not null and FUNCTION is null
 group by min(instruction_count, :longest)
 union all
select case when instruction_count < :longest then cast(instruction_count as text) else :longest || ' or more' end,
       count(*)
  from blocks
 where function = FUNCTION
 group by min(instruction_count, :longest);
