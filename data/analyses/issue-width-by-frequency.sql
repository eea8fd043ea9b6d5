-- title: Issue width, weighted by frequency
-- group: histograms
-- does: counts the issue groups of each width (without no-ops), weighted by the compiler's frequencies
-- needs: FUNCTION optional
-- isa: ia64
-- shows: histogram
-- from: frequencies
with frequencies as materialized (
    select block, max(frequency) as frequency from compiler_blocks where frequency is not null group by block),
counted as (
    select g.instruction_count - g.noop_count as width, q.frequency as frequency
      from issue_groups g
     cross join frequencies q on q.block = g.block
     cross join blocks b on b.id = g.block
     where FUNCTION is null or b.function = FUNCTION)
select width, count(*) as groups, round(100.0 * sum(frequency) / (select sum(frequency) from counted), 1) as percent,
       sum(frequency) as executions
  from counted
 group by width
 order by width;
