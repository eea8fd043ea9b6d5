-- title: Loops without prefetch
-- group: memory
-- does: finds innermost loops that step through memory without prefetches; on processors with hardware prefetching only large or unknown strides, as a hint
-- needs: FUNCTION optional
-- parameter: stride 1024 smallest stride in bytes per iteration for loops on x86-64 and AArch64
-- parameter: most 100 number of loops to show
-- Linked lists do not count: the address of the next element is unknown before its load.
-- The stride is in bytes per iteration, the largest of the loads; if an unrolled loop steps an address several times, the
-- largest step.  NULL if the stride is in a register, which must be loop-invariant (a loop that computes its step has no
-- stride) and not the length of an SVE vector.
with additions as materialized (
    select encoding, register, constant from constant_additions where register = source),
updates as materialized (
    select encoding, register, constant from additions
     union all
    select w.encoding, n.full, null
      from register_uses w
     cross join registers n on n.id = w.register
     cross join encodings e on e.id = w.encoding
     where w.access = 'both' and n.kind = 'general' and e.class in ('add', 'address', 'load', 'store')
       and not (e.isa = 'aarch64' and e.name in ('incb', 'inch', 'incw', 'incd', 'addvl', 'addpl'))
       and w.encoding not in (select encoding from additions)
       and exists (select 1
                     from register_uses q
                    cross join registers g on g.id = q.register
                    where q.encoding = e.id and q.access = 'read' and g.kind = 'general' and g.full <> n.full)
       and not (e.class = 'load' and exists (select 1
                                               from operands o
                                              cross join registers r on r.id = o.register
                                              where o.encoding = e.id and o.kind = 'register' and o.access <> 'read'
                                                and r.full = n.full))),
loads as materialized (
    select id, isa = 'ia64' as is_ia64 from encodings where load_bytes > 0 and class not in ('pop', 'call', 'return', 'branch')),
vector_lengths as materialized (
    select id from encodings where isa = 'aarch64' and name in ('cntb', 'cnth', 'cntw', 'cntd', 'rdvl')),
prefetches as materialized (
    select id from encodings where class = 'prefetch'),
places as materialized (
    select l.id as loop, i.id as instruction, i.encoding as encoding, i.encoding in prefetches as is_prefetch
      from loops l
     cross join loop_blocks m on m.loop = l.id
     cross join blocks b on b.id = m.block
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     where l.is_innermost and l.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18)
       and (i.encoding in prefetches or i.encoding in (select id from loads))),
candidates as materialized (
    select p.loop as loop, p.instruction as instruction, p.encoding as encoding
      from places p
     where not p.is_prefetch and p.loop not in (select loop from places where is_prefetch)),
addressed as (
    select c.loop as loop, c.instruction as instruction, r.full as register, 1 as scale
      from candidates c
     cross join operands o on o.encoding = c.encoding and o.kind = 'memory'
     cross join registers r on r.id = o.base_register
     union all
    select c.loop, c.instruction, r.full, coalesce(nullif(o.scale, 0), 1)
      from candidates c
     cross join operands o on o.encoding = c.encoding and o.kind = 'memory'
     cross join registers r on r.id = o.index_register),
advancing as materialized (
    select a.loop as loop, a.instruction as instruction, count(*) as updates,
           max(abs(x.constant * a.scale)) as stride, sum(x.constant is null) as unknown
      from addressed a
     cross join def_use d on d.use = a.instruction and d.register = a.register
     cross join code u on u.id = d.definition
     cross join loop_blocks m on m.loop = a.loop and m.block = u.block
     cross join updates x on x.encoding = u.encoding and x.register = a.register
     where (x.constant is not null
            and exists (select 1
                          from def_use w
                         cross join code f on f.id = w.definition
                         cross join updates y on y.encoding = f.encoding and y.register = a.register
                         cross join loop_blocks k on k.loop = a.loop and k.block = f.block
                         where w.use = u.id and w.register = a.register))
        or (exists (select 1 from def_use w where w.use = u.id and w.register = a.register and w.definition = u.id)
            and not exists (select 1
                              from def_use w
                             cross join code s on s.id = w.definition
                             cross join registers g on g.id = w.register and g.kind = 'general'
                              left join loop_blocks k on k.loop = a.loop and k.block = s.block
                             where w.use = u.id and w.register <> a.register
                               and (k.block is not null or s.encoding in (select id from vector_lengths)
                                    or exists (select 1
                                                 from def_use v
                                                cross join code c on c.id = v.definition
                                                cross join operands o on o.encoding = s.encoding and o.kind = 'immediate'
                                                where v.use = s.id and c.encoding in (select id from vector_lengths)
                                                  and o.value <= 4))))
     group by a.loop, a.instruction)
select n.name as function, v.loop as loop, l.depth as depth, count(*) as loads, max(v.stride) as stride,
       min(e.text) as text, n.file as file, n.line as line, n.listing_line as listing_line, n.address as address,
       n.function as function_id, min(v.instruction) as instruction_id
  from advancing v
 cross join loops l on l.id = v.loop
 cross join code i on i.id = v.instruction
 cross join encodings e on e.id = i.encoding
 cross join loads q on q.id = i.encoding
 cross join loop_places n on n.loop = v.loop
 where q.is_ia64 or v.unknown or v.stride >= :stride
 group by v.loop
 order by l.depth desc, v.loop
 limit :most;
