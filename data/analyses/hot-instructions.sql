-- title: Instructions that take the time
-- group: runs
-- does: lists the instructions at which samples of a run stand
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: run 0 the run (0: all)
-- parameter: most 40 number of instructions to show
-- from: samples
-- A sample stands where the processor was interrupted: at the instruction that waited, or shortly after it.  So the
-- time of a slow load often stands at the first instruction that needs its value.
with hot as materialized (
    select p.run as run, s.instruction as instruction, s.function as function, s.loop as loop, sum(s.count) as samples,
           sum(s.seconds) as seconds
      from samples s
      join run_threads t on t.id = s.thread
      join run_processes p on p.id = t.process
     where s.instruction is not null and :run in (0, p.run) and (FUNCTION is null or s.function = FUNCTION)
       and (LOOP is null or s.loop = LOOP)
     group by p.run, s.instruction
     order by seconds desc, instruction
     limit :most)
select n.name as function, h.loop as loop, p.text as text, h.samples as samples, round(h.seconds, 3) as seconds,
       round(100 * h.seconds / r.sampled_seconds, 1) as percent, p.file as file, p.line as line,
       p.listing_line as listing_line, p.address as address, h.run as run, h.function as function_id,
       h.instruction as instruction_id
  from hot h
 cross join runs r on r.id = h.run
 cross join instruction_places p on p.instruction = h.instruction
  left join functions n on n.id = h.function
 order by h.seconds desc, h.instruction;
