-- title: Conflicting streams
-- group: runs
-- does: lists loads after stores with the same low 12 address bits, and accesses whose lines share few sets of the cache, when the program ran with probes
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: run 0 the run (0: all)
-- from: probes
-- Shift arrays against each other by some lines, and pad rows whose size is a power of two.
select f.run as run, n.name as function, f.loop as loop, f.kind as kind, p.text as text, a.count as count,
       round(100.0 * a.aliases / a.count, 1) as alias_percent,
       (select s.text from instruction_places s where s.instruction = a.alias_instruction) as store, a.stride as stride,
       a.lines as lines, a.sets as sets, round(100 * a.set_share, 1) as most_used_set_percent,
       p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       f.function as function_id, f.loop as loop_id, f.instruction as instruction_id
  from probe_findings f
  join probe_addresses a on a.run = f.run and a.instruction = f.instruction
  left join functions n on n.id = f.function
  join instruction_places p on p.instruction = f.instruction
 where f.kind in ('aliasing access', 'conflicting access') and :run in (0, f.run) and (FUNCTION is null or f.function = FUNCTION)
   and (LOOP is null or f.loop = LOOP)
 order by a.count desc, f.run, f.instruction;
