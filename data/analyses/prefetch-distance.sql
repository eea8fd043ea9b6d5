-- title: Prefetch distance
-- group: memory
-- does: shows how far ahead of its load each prefetch in a loop is, in bytes and in iterations
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: most 100 number of prefetches to show
-- An address register is followed back, through copies and additions of constants, to its origin; in a loop, to its value at
-- loop entry.  Two addresses with the same origin have a known distance.  An index counts if it is a constant at loop entry.
-- If several loads qualify, the row shows one that reaches the same address in a later iteration, else the nearest.  A row
-- without a load: no matching load was found.
with recursive
additions as materialized (
    select encoding, register, source, constant from constant_additions),
prefetches as materialized (
    select id from encodings where class = 'prefetch'),
loads as materialized (
    select id from encodings where load_bytes > 0 and class not in ('pop', 'call', 'return', 'branch')),
prefetched as materialized (
    select distinct b.loop as loop
      from blocks b
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     where b.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18) and b.loop is not null
       and (LOOP is null or b.loop = LOOP) and i.encoding in prefetches),
constants as materialized (
    select e.id as encoding, sum(case o.kind when 'immediate' then o.value else 0 end) as value
      from encodings e
     cross join operands o on o.encoding = e.id
     where (e.class = 'move' and e.element not like 'fp%') or e.name = 'xor'
     group by e.id
    having (e.class = 'move' and count(*) = 2 and sum(o.kind = 'immediate') = 1)
        or (e.name = 'xor' and count(*) = 2 and count(distinct o.register) = 1 and sum(o.kind = 'register') = 2)),
addressed as materialized (
    select i.id as instruction, l.loop as loop, r.full as register, o.displacement as displacement,
           i.encoding in prefetches as is_prefetch, x.full as index_register, coalesce(nullif(o.scale, 0), 1) as scale,
           (select group_concat(d.definition) from def_use d where d.use = i.id and d.register = x.full) as index_from,
           (select case when count(*) = 1 then max(k.value) end
              from def_use d
             cross join code c on c.id = d.definition
              left join loop_blocks y on y.loop = l.loop and y.block = c.block
              left join constants k on k.encoding = c.encoding
             where d.use = i.id and d.register = x.full and y.block is null and not d.is_entry_too) as index_value
      from prefetched l
     cross join loop_blocks m on m.loop = l.loop
     cross join blocks b on b.id = m.block
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     cross join operands o on o.encoding = i.encoding and o.kind in ('memory', 'address')
     cross join registers r on r.id = o.base_register
      left join registers x on x.id = o.index_register
     where i.encoding in prefetches or i.encoding in loads),
accesses as materialized (
    select instruction, loop, register, displacement + coalesce(index_value * scale, 0) as displacement, is_prefetch,
           index_register, scale, case when index_value is null then index_register end as index_left,
           case when index_value is null then index_from end as index_from
      from addressed),
chains (instruction, loop, register, constant, depth, definition) as (
    select a.instruction, a.loop, a.register, a.displacement, 0,
           (select case when count(*) = 0 then 0
                        when count(*) = 1 and not max(d.is_entry_too) then max(d.definition)
                        when 1 and sum(m.block is null) = 1 and not max(d.is_entry_too)
                            then max(case when m.block is null then d.definition end)
                        when 1 and sum(m.block is null) = 0 and max(d.is_entry_too) then 0
                        else -1 end
              from def_use d
             cross join code t on t.id = d.definition
              left join loop_blocks m on m.loop = a.loop and m.block = t.block
             where d.use = a.instruction and d.register = a.register)
      from accesses a
     union all
    select c.instruction, c.loop, x.source, c.constant + x.constant, c.depth + 1,
           (select case when count(*) = 0 then 0
                        when count(*) = 1 and not max(d.is_entry_too) then max(d.definition)
                        when exists (select 1 from loop_blocks y where y.loop = c.loop and y.block = i.block) and sum(m.block is null) = 1 and not max(d.is_entry_too)
                            then max(case when m.block is null then d.definition end)
                        when exists (select 1 from loop_blocks y where y.loop = c.loop and y.block = i.block) and sum(m.block is null) = 0 and max(d.is_entry_too) then 0
                        else -1 end
              from def_use d
             cross join code t on t.id = d.definition
              left join loop_blocks m on m.loop = c.loop and m.block = t.block
             where d.use = i.id and d.register = x.source)
      from chains c
     cross join code i on i.id = c.definition
     cross join additions x on x.encoding = i.encoding and x.register = c.register
     where c.depth < 6),
known as materialized (
    select c.*, a.is_prefetch as is_prefetch, a.index_left as index_left,
           case when a.index_left is not null then a.scale end as scale, a.index_from as index_from
      from chains c
     cross join accesses a on a.instruction = c.instruction and a.loop = c.loop
     where c.definition >= 0),
strides as materialized (
    select t.loop as loop, t.register as register, sum(x.constant) as stride
      from (select loop, register from accesses union select loop, index_register from accesses where index_register is not null) t
     cross join loop_blocks m on m.loop = t.loop
     cross join blocks b on b.id = m.block
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     cross join additions x on x.encoding = i.encoding and x.register = t.register and x.source = t.register
     group by t.loop, t.register),
pairs as materialized (
    select p.instruction as prefetch, l.instruction as load, p.loop as loop, p.constant - l.constant as distance,
           row_number() over (partition by p.loop, p.instruction
                                  order by coalesce(abs(p.constant - l.constant) % nullif(coalesce(s.stride, 0) + coalesce(z.stride * w.scale, 0), 0) <> 0, 1),
                                           abs(p.constant - l.constant), l.instruction) as place
      from known p
     cross join known l on l.loop = p.loop and l.register = p.register and l.definition = p.definition
                  and l.index_left is p.index_left and l.index_from is p.index_from and l.scale is p.scale
     cross join accesses w on w.instruction = l.instruction and w.loop = l.loop
      left join strides s on s.loop = w.loop and s.register = w.register
      left join strides z on z.loop = w.loop and z.register = w.index_register
     where p.is_prefetch and not l.is_prefetch)
select n.name as function, a.loop as loop, p.text as prefetch, le.text as load, q.distance as distance,
       nullif(coalesce(s.stride, 0) + coalesce(z.stride * w.scale, 0), 0) as stride,
       round(1.0 * q.distance / nullif(coalesce(s.stride, 0) + coalesce(z.stride * w.scale, 0), 0), 1) as iterations,
       p.file as file, p.line as line, p.listing_line as listing_line, p.address as address, n.function as function_id,
       a.instruction as instruction_id, q.load as load_id
  from accesses a
 cross join loop_places n on n.loop = a.loop
 cross join instruction_places p on p.instruction = a.instruction
  left join pairs q on q.prefetch = a.instruction and q.loop = a.loop and q.place = 1
  left join accesses w on w.instruction = q.load and w.loop = q.loop
  left join strides s on s.loop = w.loop and s.register = w.register
  left join strides z on z.loop = w.loop and z.register = w.index_register
  left join code li on li.id = q.load
  left join encodings le on le.id = li.encoding
 where a.is_prefetch
 order by a.instruction, a.loop
 limit :most;
