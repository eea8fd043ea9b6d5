-- title: No-ops of bundles
-- group: statistics
-- does: counts the bundles of each template by their no-ops
-- needs: FUNCTION optional
-- isa: ia64
-- shows: histogram
with noops as (
    select id from encodings where class = 'nop'),
counted as (
    select u.template as template, sum(i.encoding in noops) as noops
      from bundles u
     cross join blocks b on b.id = u.block
     cross join code i on i.id >= u.first_instruction and i.id < u.first_instruction + u.instruction_count
     where FUNCTION is null or b.function = FUNCTION
     group by u.first_instruction)
select template, noops, round(100.0 * count(*) / (select count(*) from counted), 1) as percent, count(*) as bundles
  from counted
 group by template, noops
 order by template, noops;
