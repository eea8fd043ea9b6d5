-- A row for everything that was measured: functions, loops, calls, values and accesses, with names, for spreadsheets and scripts.
-- Columns are never renamed; new ones come last.  ?1 is the run, 0 for all.
-- functions: shown_name
-- columns: run kind function name loop instruction file line count abandoned bursts total_ns self_ns min_ns
--   median_ns max_ns deviation_ns iterations min_iterations median_iterations max_iterations usual_iterations
--   usual_share cycles_per_entry cycles_per_iteration setup_cycles distinct_count minimum maximum mean deviation
--   bytes stride stride_share alignment lines pages line_splits page_splits aliases sets

--- functions
select f.run, 'function' as kind, f.function, shown_name(n.name) as name, s.path as file, n.line, f.calls as count,
    f.abandoned, f.bursts, f.total_ns, f.self_ns, f.min_ns, f.median_ns, f.max_ns, f.deviation_ns
from probe_functions f
join functions n on n.id = f.function
left join files s on s.id = n.file
where ?1 in (0, f.run)

--- loops
select l.run, 'loop' as kind, p.function, shown_name(n.name) as name, l.loop, s.path as file, p.first_line as line,
    l.entries as count, l.abandoned, l.bursts, l.total_ns, l.min_ns, l.median_ns, l.max_ns, l.deviation_ns,
    l.iterations, l.min_iterations, l.median_iterations, l.max_iterations, l.usual_iterations, l.usual_share,
    l.cycles_per_entry, l.cycles_per_iteration, l.setup_cycles
from probe_loops l
join loops p on p.id = l.loop
left join functions n on n.id = p.function
left join files s on s.id = p.file
where ?1 in (0, l.run)

--- calls
select c.run, 'call' as kind, c.caller as function, shown_name(e.name) as name, c.instruction, p.file, p.line,
    c.calls as count, c.abandoned, c.bursts, c.total_ns, c.min_ns, c.median_ns, c.max_ns, c.deviation_ns
from probe_calls c
left join instruction_places p on p.instruction = c.instruction
left join functions e on e.id = c.callee
where ?1 in (0, c.run)

--- values
select v.run, v.kind, v.function, coalesce(v.name, v.position) as name, v.instruction, p.file, p.line, v.count,
    v.distinct_count, v.minimum, v.maximum, v.mean, v.deviation
from probe_values v
left join instruction_places p on p.instruction = v.instruction
where ?1 in (0, v.run)

--- addresses
select a.run, case when a.is_store then 'store' else 'load' end as kind,
    (select o.function from loops o where o.id = a.loop) as function, p.text as name, a.loop, a.instruction, p.file,
    p.line, a.count, a.minimum, a.maximum, a.bytes, a.stride, a.stride_share, a.alignment, a.lines, a.pages,
    a.line_splits, a.page_splits, a.aliases, a.sets
from probe_addresses a
left join instruction_places p on p.instruction = a.instruction
where ?1 in (0, a.run)
