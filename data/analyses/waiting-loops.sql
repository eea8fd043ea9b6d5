-- title: Loops that wait
-- group: patterns
-- does: lists innermost loops limited by a dependency chain or the divider, and the cycles that the rest of the core would take
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: times 1.5 how many times faster the rest of the core must be
-- parameter: most 30 number of loops to show
-- Cycles are for the slowest path of an iteration with its data in the L1 cache (docs/cycles.md), on the selected
-- processor.  `otherwise` is the largest bound of the other parts: what independent iterations, several sums instead of one,
-- or a multiplication instead of a division could achieve.
with slowest as materialized (
    select loop, path, "limit" as held_by, max(cycles) as cycles
      from loop_cycles
     where cycles is not null and (LOOP is null or loop = LOOP)
     group by loop),
waiting as materialized (
    select s.loop as loop, s.cycles as cycles, s.held_by as held_by,
           (select max(b.cycles)
              from core_bounds b
             where b.loop = s.loop and b.path = s.path
               and b.part not in ('latency', 'contention', 'window', 'store forwarding', 'divider')) as otherwise
      from slowest s
     where s.held_by in ('latency', 'contention', 'window', 'store forwarding', 'divider'))
select n.name as function, w.loop as loop, l.depth as depth, round(w.cycles, 2) as cycles, w.held_by as held_by,
       round(w.otherwise, 2) as otherwise, round(w.cycles / w.otherwise, 1) as times, n.file as file, n.line as line,
       n.listing_line as listing_line, n.address as address, l.function as function_id
  from waiting w
 cross join loops l on l.id = w.loop
 cross join loop_places n on n.loop = w.loop
 where w.cycles >= :times * w.otherwise and (FUNCTION is null or l.function = FUNCTION)
 order by w.cycles - w.otherwise desc, w.loop
 limit :most;
