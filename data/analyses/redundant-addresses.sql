-- title: Addresses computed again
-- group: patterns
-- does: finds address computations that repeat an earlier one with the same inputs, in the same block or in a dominating one
-- needs: FUNCTION optional
-- parameter: most 100 number of places to show, inner loops first
-- Both instructions are identical, read the same definitions, and the result is used to access memory.  still_there: in the
-- same block, with the earlier result not overwritten.  Otherwise the compiler may have recomputed it on purpose: that needs
-- no register in between, and no call can destroy it.
with candidates as materialized (
    select id from encodings
     where class in ('address', 'add', 'shift') and load_bytes = 0 and store_bytes = 0 and not is_vector and uses > 1
       and element not in ('fp16', 'bf16', 'fp32', 'fp64', 'x87') and predicate is null),
computed as (
    select i.id as instruction, i.encoding as encoding, i.target as target, b.id as block, b.function as function,
           lag(i.id) over same as earlier
      from blocks b
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     where b.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18) and i.encoding in candidates
    window same as (partition by b.function, i.encoding, i.target order by i.id)),
recomputed as materialized (
    select c.instruction as instruction, c.encoding as encoding, c.earlier as earlier, b.id as block, a.id as earlier_block
      from computed c
     cross join blocks b on b.id = c.block
     cross join code o on o.id = c.earlier
     cross join blocks a on a.id = o.block
     where c.earlier is not null and a.dom_enter > 0 and a.dom_enter <= b.dom_enter and a.dom_leave >= b.dom_leave
       and not exists (select 1
                         from def_use x
                        where x.use = c.instruction
                          and (x.is_entry_too or not exists (select 1
                                                               from def_use y
                                                              where y.use = c.earlier and y.register = x.register
                                                                and y.definition = x.definition)))
       and (select count(*) from def_use x where x.use = c.instruction)
           = (select count(*) from def_use y where y.use = c.earlier)
       and (select count(*) from def_use x where x.use = c.instruction)
           = (select count(distinct register) from def_use x where x.use = c.instruction)),
addresses as materialized (
    select distinct d.definition as instruction
      from def_use d
     cross join code u on u.id = d.use
     cross join register_uses r on r.encoding = u.encoding and r.is_address
     cross join registers n on n.id = r.register and n.full = d.register
     cross join encodings e on e.id = u.encoding and (e.load_bytes > 0 or e.store_bytes > 0)
     where d.definition in (select instruction from recomputed)
       and d.use between coalesce((select min(first_instruction) from blocks where function = FUNCTION), 1)
                     and coalesce((select max(first_instruction + instruction_count) from blocks where function = FUNCTION), 9e18)),
found as materialized (
    select * from recomputed where instruction in addresses)
select n.name as function, b.loop as loop, p.text as text,
       case when f.block <> f.earlier_block then null
            when exists (select 1
                           from code k
                          cross join register_uses w on w.encoding = k.encoding and w.access in ('write', 'both')
                          cross join registers kr on kr.id = w.register
                          where k.id > f.earlier and k.id < f.instruction
                            and kr.full in (select rr.full
                                              from register_uses ru
                                             cross join registers rr on rr.id = ru.register
                                             where ru.encoding = f.encoding and ru.access in ('write', 'both')
                                               and rr.kind = 'general')) then 'no'
            else 'yes' end as still_there,
       p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       q.line as earlier_line, q.listing_line as earlier_listing_line, q.address as earlier_address, n.id as function_id, b.id as block_id,
       f.instruction as instruction_id, f.earlier as earlier_id
  from found f
 cross join blocks b on b.id = f.block
 cross join functions n on n.id = b.function
  left join loops l on l.id = b.loop
 cross join instruction_places p on p.instruction = f.instruction
 cross join instruction_places q on q.instruction = f.earlier
 order by coalesce(l.depth, 0) desc, f.instruction
 limit :most;
