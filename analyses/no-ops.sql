-- title: No-ops
-- group: instructions
-- does: counts the no-ops of each function, where they cost decoding: inside the function, not in the padding after it
-- needs: FUNCTION optional
-- parameter: most 20 functions that are shown
with noops as (
    select id from encodings where class = 'nop')
select f.name as function, count(*) as noops, f.instruction_count as instructions,
       round(100.0 * count(*) / max(f.instruction_count, 1), 1) as percent
  from code i
  join blocks b on b.id = i.block
  join functions f on f.id = b.function
 where i.encoding in noops and FUNCTION is null
 group by f.id
 union all
select f.name, count(*), f.instruction_count, round(100.0 * count(*) / max(f.instruction_count, 1), 1)
  from functions f
  join blocks b on b.function = f.id
  join code i on i.id between b.first_instruction and b.last_instruction
 where i.encoding in noops and f.id = FUNCTION
 group by f.id
 order by noops desc, function
 limit :most;
