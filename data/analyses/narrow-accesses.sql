-- title: 32-bit accesses in sequence
-- group: memory
-- does: finds close sequences of 4-byte integer loads and stores, where one 8-byte access could replace two
-- needs: FUNCTION optional
-- parameter: least 4 accesses in the sequence
-- parameter: gap 6 most instructions between two accesses (6: two bundles)
-- parameter: most 100 number of sequences to show, the longest first
-- pairs counts the loads and stores with another one of their kind in the sequence, 4 bytes further from the same, unchanged
-- address registers.  x86-64 and AArch64 show only sequences with pairs; on IA-64 accesses step their own addresses, and every
-- sequence is shown.  Not checked: that a pair is aligned to 8 bytes, and that no access between the halves prevents joining.
with narrow as materialized (
    select e.id as id, r.full as base, x.full as index_register, o.scale as scale, o.displacement as displacement,
           e.load_bytes > 0 as is_load, e.isa = 'ia64' as is_ia64
      from encodings e
      left join operands o on o.encoding = e.id and o.kind = 'memory'
      left join registers r on r.id = o.base_register
      left join registers x on x.id = o.index_register
     where e.class in ('load', 'store') and (e.load_bytes = 4 or e.store_bytes = 4) and not e.is_vector
       and e.element <> 'fp32'),
accesses as (
    select i.id as instruction, b.id as block, b.function as function, i.encoding as encoding,
           i.id - lag(i.id) over (partition by b.id order by i.id) > :gap as starts
      from blocks b
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     where b.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18)
       and i.encoding in (select id from narrow)),
numbered as (
    select *, sum(coalesce(starts, 0)) over (partition by block order by instruction) as run from accesses),
members as (
    select m.function as function, m.block as block, m.run as run, m.instruction as instruction,
           count(*) over (partition by m.block, m.run) as number, n.base as base, n.index_register as index_register,
           n.is_load as is_load, n.is_ia64 as is_ia64,
           min(m.instruction) over (partition by m.block, m.run, n.is_load, n.base, n.index_register, n.scale
                                        order by n.displacement
                                    range between 4 following and 4 following) as partner
      from numbered m
     cross join narrow n on n.id = m.encoding),
runs as materialized (
    select m.function as function, m.block as block, min(m.instruction) as first, max(m.instruction) as last,
           count(*) as accesses, sum(m.is_load) as loads, sum(not m.is_load) as stores, max(m.is_ia64) as is_ia64,
           case when not max(m.is_ia64)
                then sum(m.partner is not null
                         and not exists (select 1
                                           from code k
                                          cross join register_uses w on w.encoding = k.encoding
                                          cross join registers x on x.id = w.register
                                          where k.id >= min(m.instruction, m.partner) and k.id < max(m.instruction, m.partner)
                                            and w.access in ('write', 'both') and x.full in (m.base, m.index_register))) end as pairs
      from members m
     where m.number >= :least
     group by m.block, m.run)
select n.name as function, b.loop as loop, 'B' || b.position as block, r.accesses as accesses, r.loads as loads,
       r.stores as stores, r.pairs as pairs, r.last - r.first + 1 as instructions, p.file as file, p.line as line,
       q.line as last_line, p.listing_line as listing_line, q.listing_line as last_listing_line, p.address as address,
       n.id as function_id, b.id as block_id, r.first as instruction_id
  from runs r
 cross join blocks b on b.id = r.block
 cross join functions n on n.id = r.function
 cross join instruction_places p on p.instruction = r.first
 cross join instruction_places q on q.instruction = r.last
 where r.is_ia64 or r.pairs > 0
 order by coalesce(r.pairs, r.accesses) desc, r.first
 limit :most;
