-- title: Misaligned streams
-- group: runs
-- does: lists loads and stores that often crossed a line of 64 bytes, or used few bytes of each line, when the program ran with probes
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: run 0 the run (0: all)
-- from: probes
-- Align arrays to 64 bytes and pad rows or elements; where the stride is large, keep together what is used together.
select f.run as run, n.name as function, f.loop as loop, f.kind as kind, p.text as text, a.count as count, a.bytes as bytes,
       a.stride as stride, a.alignment as alignment, round(100.0 * a.line_splits / a.count, 1) as line_split_percent,
       round(100.0 * a.page_splits / a.count, 1) as page_split_percent, a.lines as lines,
       p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       f.function as function_id, f.loop as loop_id, f.instruction as instruction_id
  from probe_findings f
  join probe_addresses a on a.run = f.run and a.instruction = f.instruction
  left join functions n on n.id = f.function
  join instruction_places p on p.instruction = f.instruction
 where f.kind in ('split access', 'sparse access') and :run in (0, f.run) and (FUNCTION is null or f.function = FUNCTION)
   and (LOOP is null or f.loop = LOOP)
 order by a.line_splits * 1.0 / a.count desc, a.count desc, f.run, f.instruction;
