-- title: Issue width
-- group: histograms
-- does: counts the issue groups by their number of instructions, without no-ops
-- needs: FUNCTION optional
-- isa: ia64
-- shows: histogram
with counted as (
    select g.instruction_count - g.noop_count as width
      from issue_groups g
     cross join blocks b on b.id = g.block
     where FUNCTION is null or b.function = FUNCTION)
select width, round(100.0 * count(*) / (select count(*) from counted), 1) as percent, count(*) as groups
  from counted
 group by width
 order by width;
