-- title: Hints of unrolling
-- group: compiler
-- does: finds source lines whose loads, stores and floating-point instructions all occur several times in one innermost loop
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: least 2 copies
-- parameter: most 100 number of lines to show
-- from: lines
-- copies is the greatest common divisor of the counts of these instructions (by mnemonic), at each column of the line if
-- columns are known.  A load of a pair counts as two where the others of the line work on one number.  A hint, not a proof: a line without columns that does the same thing twice, or a macro, looks like a
-- loop unrolled twice, and a compiler that merges accesses hides unrolling.
with recursive numbers (n) as (
    select 1 union all select n + 1 from numbers where n < 64),
kinds as materialized (
    select id as encoding, name || coalesce(completers, '') || (load_bytes > 0) || (store_bytes > 0) as kind,
           load_bytes > 0 as is_load, store_bytes > 0 as is_store,
           class in ('add', 'multiply', 'fma', 'divide', 'sqrt') and element in ('fp16', 'bf16', 'fp32', 'fp64', 'x87') as is_floating,
           case when load_bytes > 0 or store_bytes > 0 then max(load_bytes, store_bytes)
                when vector_bits > 0 then vector_bits / 8
                when element in ('fp16', 'bf16') then 2
                when element = 'fp32' then 4
                else 8 end as bytes
      from encodings
     where class not in ('call', 'push', 'pop', 'convert', 'move', 'compare')
       and (load_bytes > 0 or store_bytes > 0 or element in ('fp16', 'bf16', 'fp32', 'fp64', 'x87'))),
found as materialized (
    select l.id as loop, s.file as file, s.line as line, count(*) as number, k.bytes as bytes,
           min(k.bytes) over (partition by l.id, s.file, s.line) as least_bytes, sum(k.is_load) as loads,
           sum(k.is_store) as stores, sum(k.is_floating) as floating, min(i.id) as instruction
      from loops l
     cross join loop_blocks m on m.loop = l.id
     cross join blocks b on b.id = m.block
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     cross join source_lines s on s.id = i.source_line
     cross join kinds k on k.encoding = i.encoding
     where l.is_innermost and s.line is not null and (LOOP is null or l.id = LOOP)
       and l.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18)
     group by l.id, s.file, s.line, s.column, k.kind, k.bytes),
counted as materialized (
    select loop, file, line, number * iif(bytes % least_bytes, 1, bytes / least_bytes) as number, loads, stores, floating, instruction
      from found),
lines as materialized (
    select loop, file, line, min(number) as fewest, sum(loads) as loads, sum(stores) as stores, sum(floating) as floating,
           min(instruction) as instruction
      from counted
     group by loop, file, line
    having min(number) > 1 and (sum(stores) > 0 or sum(floating) > 0)),
divided as (
    select d.loop as loop, d.file as file, d.line as line, d.loads as loads, d.stores as stores,
           d.floating as floating, d.instruction as instruction,
           (select max(n.n)
              from numbers n
             where n.n <= d.fewest
               and not exists (select 1
                                 from counted c
                                where c.loop = d.loop and c.file is d.file and c.line = d.line and c.number % n.n)) as copies
      from lines d)
select n.name as function, d.loop as loop, d.copies as copies, d.loads as loads, d.stores as stores,
       d.floating as floating, f.path as file, d.line as line,
       (select t.line from listing_instructions t where t.instruction = d.instruction) as listing_line,
       (select b.address + i.offset
          from code i
         cross join blocks b on b.id = i.block
         where i.id = d.instruction and not exists (select 1 from listing_instructions t where t.instruction = i.id)) as address,
       n.id as function_id, d.instruction as instruction_id
  from divided d
 cross join loops l on l.id = d.loop
 cross join functions n on n.id = l.function
  left join files f on f.id = d.file
 where d.copies >= :least
 order by d.loop, d.line
 limit :most;
