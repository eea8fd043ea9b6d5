-- title: Block sizes, weighted by frequency
-- group: histograms
-- does: counts the basic blocks of each size in instructions, weighted by the compiler's frequencies
-- needs: FUNCTION optional
-- parameter: longest 50 blocks of this size and longer share one row
-- shows: histogram
-- from: frequencies
with frequencies as materialized (
    select block, max(frequency) as frequency from compiler_blocks where frequency is not null group by block),
counted as (
    select b.instruction_count as size, q.frequency as frequency
      from frequencies q
     cross join blocks b on b.id = q.block
     where b.function is not null and (FUNCTION is null or b.function = FUNCTION))
select case when size < :longest then cast(size as text) else :longest || ' or more' end as size,
       count(*) as blocks, round(100.0 * sum(frequency) / (select sum(frequency) from counted), 1) as percent,
       sum(frequency) as executions
  from counted c
 group by min(c.size, :longest)
 order by min(c.size, :longest);
