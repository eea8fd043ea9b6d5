-- title: Constant trip counts
-- group: runs
-- does: lists loops whose entries all, or nearly all, made the same number of iterations when the program ran with probes
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: run 0 the run (0: all)
-- from: probes
-- A short constant loop is worth peeling or unrolling for its number; for the others give the compiler the constant, or make a
-- version for it.  Loops of fewer than 10 entries are left out.  setup_percent: cycles that do not depend on iterations.
select f.run as run, n.name as function, f.loop as loop, f.kind as kind, l.entries as entries,
       l.usual_iterations as iterations, round(100 * l.usual_share, 1) as percent,
       round(l.cycles_per_entry, 1) as cycles_per_entry, round(100 * l.setup_cycles / l.cycles_per_entry, 1) as setup_percent,
       round(l.total_ns / 1e6, 3) as total_ms, n.file as file, n.line as line, n.listing_line as listing_line,
       n.address as address, f.function as function_id, f.loop as loop_id
  from probe_findings f
  join probe_loops l on l.run = f.run and l.loop = f.loop
  join loop_places n on n.loop = f.loop
 where f.kind in ('short constant loop', 'constant loop', 'usual loop', 'bimodal loop') and :run in (0, f.run)
   and f.instruction is null and (FUNCTION is null or f.function = FUNCTION) and (LOOP is null or f.loop = LOOP)
 order by l.total_ns desc nulls last, l.entries desc, f.run, f.loop;
