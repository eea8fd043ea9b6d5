-- title: Instruction mix
-- group: statistics
-- does: counts the instructions of each class, with their share
-- needs: FUNCTION optional
-- shows: histogram
with counted as (
    select id as encoding, uses as number
      from encodings
     where FUNCTION is null
     union all
    select i.encoding, count(*)
      from blocks b
      join code i on i.id between b.first_instruction and b.last_instruction
     where b.function = FUNCTION
     group by i.encoding)
select e.class as class, round(100.0 * sum(c.number) / (select sum(number) from counted), 1) as percent,
       sum(c.number) as instructions
  from counted c
  join encodings e on e.id = c.encoding
 group by e.class
 order by instructions desc, class;
