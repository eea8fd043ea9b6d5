-- title: Versions of loops
-- group: compiler
-- does: finds innermost loops of one function that come from the same source lines: versions, remainders, peeled and unrolled copies
-- needs: FUNCTION optional
-- parameter: most 200 number of loops to show
-- from: lines
-- Two loops are versions if their lines overlap and some of their loads, stores and computations come from the same line and
-- column; or if one loop spans several lines that include all lines of the other.  Different loops of one line or macro at the
-- same column look like versions.
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
together as materialized (
    select function, file, inlined_call, place, loop, first_line, last_line
      from (select *, count(*) over (partition by function, file, inlined_call, place) as together from numbered)
     where together > 1),
positions as materialized (
    select distinct t.loop as loop, s.line as line, nullif(s.column, 0) as column
      from together t
     cross join loop_blocks m on m.loop = t.loop
     cross join blocks b on b.id = m.block
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     cross join encodings e on e.id = i.encoding
     cross join source_lines s on s.id = i.source_line and s.file is t.file
     where e.load_bytes > 0 or e.store_bytes > 0
        or e.class not in ('move', 'shuffle') and e.element in ('fp16', 'bf16', 'fp32', 'fp64', 'x87')),
alike as materialized (
    select t.*
      from together t
     where exists (select 1
                     from together o
                    cross join positions p on p.loop = t.loop
                    cross join positions q on q.loop = o.loop and q.line = p.line
                    where o.function = t.function and o.file is t.file and o.inlined_call is t.inlined_call
                      and o.place = t.place and o.loop <> t.loop
                      and (q.column = p.column or q.column is null or p.column is null))
        or exists (select 1
                     from together o
                    where o.function = t.function and o.file is t.file and o.inlined_call is t.inlined_call
                      and o.place = t.place and o.loop <> t.loop
                      and (o.last_line > o.first_line or t.last_line > t.first_line)
                      and ((o.first_line >= t.first_line and o.last_line <= t.last_line)
                           or (o.first_line <= t.first_line and o.last_line >= t.last_line)))
        or not exists (select 1 from positions p where p.loop = t.loop)),
counted as (
    select *, count(*) over (partition by function, file, inlined_call, place) as versions,
           min(loop) over (partition by function, file, inlined_call, place) as first
      from alike)
select n.name as function, c.versions as versions, c.loop as loop, l.instruction_count as instructions,
       sum(e.load_bytes > 0) as loads, sum(e.store_bytes > 0) as stores,
       sum(e.is_vector) as vector, sum(e.class = 'prefetch') as prefetches,
       (select p.stages from pipelined_loops p where p.loop = c.loop) as stages,
       f.path as file, c.first_line as line, c.last_line as last_line,
       (select t.line from blocks h join listing_instructions t on t.instruction = h.first_instruction where h.id = l.header)
           as listing_line, (select p.address from loop_places p where p.loop = c.loop) as address, c.function as function_id
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
