-- title: Loads that hit the same bank
-- group: memory
-- does: finds loads that issue together, or nearly, and access the same bank of the second-level cache (Itanium 2: 16 banks of 16 bytes)
-- needs: FUNCTION optional
-- parameter: period 256 bytes after which the banks repeat
-- parameter: width 16 bytes of a bank
-- parameter: groups 0 most issue groups between the loads; 0: same group only
-- parameter: most 100 number of pairs to show
-- isa: ia64
-- An address register is followed back, through copies and additions of constants, to its origin; in a loop, to its value at
-- loop entry.  Two addresses with the same origin have a known distance.
-- same_bank is yes if the distance is a multiple of the period; maybe if it depends on the alignment.
with recursive
additions as materialized (
    select encoding, register, source, constant from constant_additions),
loads as materialized (
    select id from encodings where isa = 'ia64' and class = 'load'),
offsets (n) as (
    select 0 union all select n + 1 from offsets where n < min(:groups, 8)),
accesses as materialized (
    select i.id as instruction, g.number as issue, b.id as block, b.loop as loop, r.full as register, 0 as displacement
      from (select *, row_number() over (order by first_instruction) as number from issue_groups) g
     cross join blocks b on b.id = g.block
     cross join code i on i.id >= g.first_instruction and i.id < g.first_instruction + g.instruction_count
     cross join operands o on o.encoding = i.encoding and o.kind = 'memory'
     cross join registers r on r.id = o.base_register
     where (FUNCTION is null or b.function = FUNCTION) and i.encoding in loads),
ordered as (
    select *, issue - lag(issue) over (order by instruction) as before, lead(issue) over (order by instruction) - issue as after
      from accesses),
close as materialized (
    select instruction, loop, register, displacement from ordered where before <= :groups or after <= :groups),
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
      from close a
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
    select c.instruction as instruction, c.register as register, c.definition as definition, c.constant as constant,
           a.issue as issue, a.block as block
      from chains c
     cross join accesses a on a.instruction = c.instruction
     where c.definition >= 0),
pairs as materialized (
    select distinct f.instruction as first, s.instruction as second, f.block as block, s.constant - f.constant as distance
      from known f
     cross join offsets n
     cross join known s on s.issue = f.issue + n.n and s.register = f.register and s.definition = f.definition
                  and s.instruction > f.instruction and s.block = f.block
     where abs(s.constant - f.constant) % :period < :width or abs(s.constant - f.constant) % :period > :period - :width)
select n.name as function, b.loop as loop, fe.text as first, se.text as second, x.distance as distance,
       case when x.distance % :period = 0 then 'yes' else 'maybe' end as same_bank, p.file as file, p.line as line,
       q.line as second_line, p.listing_line as listing_line, p.address as address, n.id as function_id, b.id as block_id,
       x.first as instruction_id, x.second as second_id
  from pairs x
 cross join blocks b on b.id = x.block
 cross join functions n on n.id = b.function
 cross join code fi on fi.id = x.first
 cross join encodings fe on fe.id = fi.encoding
 cross join code si on si.id = x.second
 cross join encodings se on se.id = si.encoding
 cross join instruction_places p on p.instruction = x.first
 cross join instruction_places q on q.instruction = x.second
 order by x.distance % :period <> 0, x.first, x.second
 limit :most;
