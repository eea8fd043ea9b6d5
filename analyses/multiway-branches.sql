-- title: Bundles with several branches
-- group: patterns
-- does: lists the bundles that hold two or three branches
-- needs: FUNCTION optional
-- parameter: least 2 branches in the bundle
-- isa: ia64
with branches as (
    select id from encodings where class in ('branch', 'call', 'return'))
select f.name as function, 'B' || b.position as block, u.template as template, count(*) as branches,
       group_concat(replace(e.text, '@', coalesce(printf('0x%x', i.target), '@')), ' | ') as text, b.loop as loop,
       p.file as file, p.line as line, p.listing_line as listing_line, f.id as function_id, b.id as block_id,
       min(i.id) as instruction_id
  from bundles u
  join blocks b on b.id = u.block
 cross join code i on i.id >= u.first_instruction and i.id < u.first_instruction + u.instruction_count
  join encodings e on e.id = i.encoding
  join functions f on f.id = b.function
  join instruction_places p on p.instruction = u.first_instruction
 where i.encoding in branches and (FUNCTION is null or b.function = FUNCTION)
 group by u.id
having count(*) >= :least
 order by u.id;
