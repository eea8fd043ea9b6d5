-- title: 32-bit accesses in sequence
-- group: memory
-- does: finds runs of 4-byte loads and stores of integers that follow each other closely: half of them are not aligned to 8 bytes, and two could be one
-- needs: FUNCTION optional
-- parameter: least 4 accesses in the run
-- parameter: gap 6 instructions at most from one to the next (6: two bundles)
-- parameter: most 100 runs that are shown, the longest first
with narrow as materialized (
    select id from encodings
     where class in ('load', 'store') and (load_bytes = 4 or store_bytes = 4) and not is_vector and element <> 'fp32'),
accesses as (
    select i.id as instruction, b.id as block, b.function as function, i.encoding as encoding,
           i.id - lag(i.id) over (partition by b.id order by i.id) > :gap as starts
      from blocks b
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     where b.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18) and i.encoding in narrow),
numbered as (
    select *, sum(coalesce(starts, 0)) over (partition by block order by instruction) as run from accesses),
runs as materialized (
    select function, block, count(*) as accesses, sum(e.load_bytes > 0) as loads, sum(e.store_bytes > 0) as stores,
           min(instruction) as first, max(instruction) as last
      from numbered
     cross join encodings e on e.id = encoding
     group by function, block, run
    having count(*) >= :least
     order by count(*) desc, min(instruction)
     limit :most)
select n.name as function, b.loop as loop, 'B' || b.position as block, r.accesses as accesses, r.loads as loads,
       r.stores as stores, r.last - r.first + 1 as instructions, p.file as file, p.line as line, q.line as last_line,
       p.listing_line as listing_line, q.listing_line as last_listing_line, n.id as function_id, b.id as block_id,
       r.first as instruction_id
  from runs r
 cross join blocks b on b.id = r.block
 cross join functions n on n.id = r.function
 cross join instruction_places p on p.instruction = r.first
 cross join instruction_places q on q.instruction = r.last
 order by r.accesses desc, r.first;
