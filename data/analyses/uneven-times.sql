-- title: Functions whose time varies
-- group: runs
-- does: lists functions and call sites with a few calls that took much longer than the median when the program ran with probes
-- needs: FUNCTION optional
-- parameter: run 0 the run (0: all)
-- from: probes
-- The deviation is at least twice the mean, and the longest call ten times the median.  slow: calls of more than eight times the
-- median, from the histogram, and the share of the time that they take.
with timed as materialized (
    select f.run as run, f.kind as kind, f.function as function, f.instruction as instruction, f.count as calls,
           coalesce(t.total_ns, c.total_ns) as total, coalesce(t.median_ns, c.median_ns) as median,
           coalesce(t.max_ns, c.max_ns) as longest, coalesce(t.deviation_ns, c.deviation_ns) as deviation,
           case f.kind when 'uneven call' then 'call time' else 'function time' end as quantity,
           coalesce(f.instruction, f.function) as subject
      from probe_findings f
      left join probe_functions t on f.kind = 'uneven function' and t.run = f.run and t.function = f.function
      left join probe_calls c on f.kind = 'uneven call' and c.run = f.run and c.instruction = f.instruction
     where f.kind in ('uneven function', 'uneven call') and :run in (0, f.run) and (FUNCTION is null or f.function = FUNCTION)),
slow as materialized (
    select t.run as run, t.quantity as quantity, t.subject as subject, total(h.count * (h.low >= 8 * t.median)) as calls,
           total(h.count * (h.low + h.high) * (h.low >= 8 * t.median)) / total(h.count * (h.low + h.high)) as share
      from timed t
      join probe_histograms h on h.run = t.run and h.quantity = t.quantity and h.subject = t.subject
     group by t.run, t.quantity, t.subject)
select t.run as run, n.name as function, t.kind as kind, t.calls as calls, round(t.total / 1e6, 3) as total_ms,
       round(t.median, 1) as median_ns, round(t.longest, 1) as longest_ns, round(t.deviation, 1) as deviation_ns,
       cast(s.calls as integer) as slow_calls, round(100 * s.share, 1) as slow_percent, coalesce(p.file, d.path) as file,
       coalesce(p.line, n.line) as line, p.listing_line as listing_line, coalesce(p.address, n.address) as address,
       t.function as function_id, t.instruction as instruction_id
  from timed t
  join functions n on n.id = t.function
  left join files d on d.id = n.file
  left join slow s on s.run = t.run and s.quantity = t.quantity and s.subject = t.subject
  left join instruction_places p on p.instruction = t.instruction
 order by t.total desc, t.run, t.function, t.instruction;
