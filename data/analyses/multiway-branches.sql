-- title: Bundles with several branches
-- group: patterns
-- does: lists the bundles with two or three branches
-- needs: FUNCTION optional
-- parameter: least 2 branches in the bundle
-- isa: ia64
with branches as (
    select id from encodings where class in ('branch', 'call', 'return')),
found as materialized (
    select u.first_instruction as bundle, u.template as template, u.block as block, count(*) as branches, min(i.id) as instruction,
           max(i.id) as last
      from bundles u
     cross join code i on i.id >= u.first_instruction and i.id < u.first_instruction + u.instruction_count
     where i.encoding in branches
     group by u.first_instruction
    having count(*) >= :least)
select f.name as function, 'B' || b.position as block, x.template as template, x.branches as branches,
       (select group_concat(t.text, ' | ')
          from instruction_places t
         cross join code c on c.id = t.instruction
         where t.instruction between x.instruction and x.last and c.encoding in branches) as text,
       b.loop as loop, p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       f.id as function_id,
       b.id as block_id, x.instruction as instruction_id
  from found x
 cross join blocks b on b.id = x.block
 cross join functions f on f.id = b.function
 cross join instruction_places p on p.instruction = x.instruction
 where FUNCTION is null or b.function = FUNCTION
 order by x.bundle;
