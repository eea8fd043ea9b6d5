-- title: Branches in bundles
-- group: histograms
-- does: counts the bundles with no, one, two and three branches (including calls and returns)
-- needs: FUNCTION optional
-- isa: ia64
-- shows: histogram
with branches as (
    select id from encodings where class in ('branch', 'call', 'return')),
counted as (
    select sum(i.encoding in branches) as branches
      from bundles u
     cross join blocks b on b.id = u.block
     cross join code i on i.id >= u.first_instruction and i.id < u.first_instruction + u.instruction_count
     where FUNCTION is null or b.function = FUNCTION
     group by u.first_instruction)
select branches, round(100.0 * count(*) / (select count(*) from counted), 1) as percent, count(*) as bundles
  from counted
 group by branches
 order by branches;
