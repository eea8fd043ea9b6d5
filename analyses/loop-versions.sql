-- title: Versions of loops
-- group: compiler
-- does: finds innermost loops of one function that come from the same source lines: versions, remainders, peeled and unrolled copies
-- needs: FUNCTION optional
-- parameter: most 200 loops that are shown
with ordered as (
    select l.id as loop, l.function as function, l.file as file, l.inlined_call as inlined_call,
           l.first_line as first_line, l.last_line as last_line,
           l.first_line > max(l.last_line) over (partition by l.function, l.file, l.inlined_call
                                                     order by l.first_line, l.id
                                                 rows between unbounded preceding and 1 preceding) as starts
      from loops l
     where l.is_innermost and l.first_line is not null
       and l.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18)),
numbered as (
    select *, sum(coalesce(starts, 0)) over (partition by function, file, inlined_call order by first_line, loop) as place
      from ordered),
counted as (
    select *, count(*) over (partition by function, file, inlined_call, place) as versions,
           min(loop) over (partition by function, file, inlined_call, place) as first
      from numbered)
select n.name as function, c.versions as versions, c.loop as loop, l.instruction_count as instructions,
       sum(e.load_bytes > 0) as loads, sum(e.store_bytes > 0) as stores,
       sum(e.is_vector) as vector, sum(e.class = 'prefetch') as prefetches,
       (select p.stages from pipelined_loops p where p.loop = c.loop) as stages,
       f.path as file, c.first_line as line, c.last_line as last_line,
       (select t.line from blocks h join listing_instructions t on t.instruction = h.first_instruction where h.id = l.header)
           as listing_line, c.function as function_id
  from counted c
 cross join loops l on l.id = c.loop
 cross join functions n on n.id = c.function
 cross join loop_blocks m on m.loop = c.loop
 cross join blocks b on b.id = m.block
 cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
 cross join encodings e on e.id = i.encoding
  left join files f on f.id = c.file
 where c.versions > 1
 group by c.loop
 order by c.first, c.loop
 limit :most;
