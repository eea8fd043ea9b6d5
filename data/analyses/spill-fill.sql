-- title: Spills and fills
-- group: registers
-- does: lists the stores (spills) and loads (fills) of registers in the function's own stack frame, explicit ones (st8.spill, ld8.fill) and implicit ones
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: most 200 number of accesses to show, inner loops first
-- offset counts from the stack pointer at function entry.  Slots above it (except on IA-64) belong to the caller: loads of
-- arguments are not fills, unless the function also stores there.
with stored as materialized (
    select b.function as function, a.offset as offset
      from stack_accesses a
     cross join code i on i.id = a.instruction
     cross join blocks b on b.id = i.block
     where a.is_store and a.offset >= 0 and (FUNCTION is null or b.function = FUNCTION))
select n.name as function, b.loop as loop, l.depth as depth,
       case when a.is_store then 'spill' else 'fill' end as kind,
       case when a.is_explicit then 'explicit' else 'implicit' end as form, r.name as register, a.offset as offset,
       p.text as text, p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       n.id as function_id, b.id as block_id, i.id as instruction_id
  from stack_accesses a
 cross join code i on i.id = a.instruction
 cross join encodings e on e.id = i.encoding
 cross join blocks b on b.id = i.block
 cross join functions n on n.id = b.function
  left join loops l on l.id = b.loop
  left join registers r on r.id = a.register
 cross join instruction_places p on p.instruction = i.id
 where (FUNCTION is null or b.function = FUNCTION)
   and (LOOP is null or b.id in (select block from loop_blocks where loop = LOOP))
   and (a.register is not null or a.is_explicit)
   and (a.is_store or a.offset < 0 or e.isa = 'ia64' or (b.function, a.offset) in stored)
 order by coalesce(l.depth, 0) desc, i.id
 limit :most;
