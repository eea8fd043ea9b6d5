-- title: Places in the stack frame
-- group: registers
-- does: lists the slots of each stack frame with their spills, fills and lines
-- needs: FUNCTION optional
-- parameter: most 100 number of slots to show, inner loops first
-- offset counts from the stack pointer at function entry; lines are source lines, or the listing's.  Stack arguments that the
-- function only loads do not count (except on IA-64, where they cannot be distinguished).
with stored as materialized (
    select b.function as function, a.offset as offset
      from stack_accesses a
     cross join code i on i.id = a.instruction
     cross join blocks b on b.id = i.block
     where a.is_store and a.offset >= 0 and (FUNCTION is null or b.function = FUNCTION)),
used as materialized (
    select b.function as function, a.offset as offset, a.is_store as is_store, a.is_explicit as is_explicit,
           a.register as register, i.id as instruction, coalesce(l.depth, 0) as depth
      from stack_accesses a
     cross join code i on i.id = a.instruction
     cross join encodings e on e.id = i.encoding
     cross join blocks b on b.id = i.block
      left join loops l on l.id = b.loop
     where b.function is not null and (FUNCTION is null or b.function = FUNCTION)
       and (a.is_store or a.offset < 0 or e.isa = 'ia64' or (b.function, a.offset) in stored)),
slots as materialized (
    select function, offset, sum(is_store) as spills, sum(not is_store) as fills, sum(is_explicit) as explicit,
           max(depth) as depth, group_concat(distinct register) as registers, min(instruction) as instruction
      from used
     group by function, offset
     order by max(depth) desc, count(*) desc, function, offset
     limit :most),
lines as (
    select function, offset, group_concat(line, ' ') as lines
      from (select distinct s.function as function, s.offset as offset, p.line as line
              from slots s
             cross join used u on u.function = s.function and u.offset = s.offset
             cross join instruction_places p on p.instruction = u.instruction
             order by 1, 2, 3)
     group by function, offset)
select n.name as function, s.offset as offset, s.spills as spills, s.fills as fills, s.explicit as explicit,
       s.depth as depth,
       (select group_concat(name, ' ') from registers where instr(',' || s.registers || ',', ',' || id || ',')) as registers,
       l.lines as lines, p.file as file, p.line as line, p.address as address, n.id as function_id, s.instruction as instruction_id
  from slots s
 cross join lines l on l.function = s.function and l.offset = s.offset
 cross join functions n on n.id = s.function
 cross join instruction_places p on p.instruction = s.instruction
 order by s.depth desc, s.spills + s.fills desc, s.function, s.offset;
