-- Rows of a run with probes, for programs: the keys of the JSON, in this order.  ?1 is the run.
-- functions: shown_name

--- limits
select position, kind, count
from probe_limits
where run = ?1
order by position

--- placements
select p.program, g.path, p.way, p.reason, p.count, p.instruction
from probe_placements p
left join programs g on g.id = p.program
where p.run = ?1
order by p.program, p.way, p.reason

--- functions
select f.function, shown_name(n.name) as name, s.path as file, n.line, f.calls, f.abandoned, f.bursts, f.total_ns,
    f.self_ns, f.min_ns, f.median_ns, f.mean_ns, f.max_ns, f.deviation_ns
from probe_functions f
join functions n on n.id = f.function
left join files s on s.id = n.file
where f.run = ?1
order by f.self_ns desc, f.calls desc, f.function

--- loops
select l.loop, p.function, shown_name(n.name) as name, s.path as file, p.first_line, p.last_line, l.entries,
    l.iterations, l.min_iterations, l.median_iterations, l.mean_iterations, l.max_iterations, l.deviation_iterations,
    l.usual_iterations, l.usual_share, l.counting, l.abandoned, l.bursts, l.total_ns, l.min_ns, l.median_ns, l.max_ns,
    l.deviation_ns, l.cycles_per_entry, l.cycles_per_iteration, l.setup_cycles, l.setup
from probe_loops l
join loops p on p.id = l.loop
left join functions n on n.id = p.function
left join files s on s.id = p.file
where l.run = ?1
order by l.total_ns desc, l.iterations desc, l.loop

--- calls
select c.instruction, p.file, p.line, p.address, c.caller, shown_name(n.name) as caller_name, c.callee,
    shown_name(e.name) as callee_name, c.calls, c.abandoned, c.bursts, c.total_ns, c.min_ns, c.median_ns, c.mean_ns,
    c.max_ns, c.deviation_ns
from probe_calls c
left join instruction_places p on p.instruction = c.instruction
left join functions n on n.id = c.caller
left join functions e on e.id = c.callee
where c.run = ?1
order by c.total_ns desc, c.instruction

--- values
select v.id as value, v.kind, v.function, shown_name(n.name) as function_name, v.instruction, p.file, p.line,
    v.position, v.name, v.variable, v.is_float, v.count, v.distinct_count, v.minimum, v.maximum, v.mean, v.deviation
from probe_values v
left join functions n on n.id = v.function
left join instruction_places p on p.instruction = v.instruction
where v.run = ?1
order by v.id

--- frequent
select q.value, q.position, q.integer, q.number, q.count, q.error, q.share
from probe_frequent q
join probe_values v on v.id = q.value
where v.run = ?1
order by q.value, q.position

--- addresses
select a.instruction, p.file, p.line, p.address, p.text, a.loop, a.is_store, a.bytes, a.count, a.minimum, a.maximum,
    a.stride, a.stride_share, a.alignment, a.misaligned_share, a.lines, a.pages, a.line_splits, a.page_splits,
    a.aliases, a.alias_instruction, a.sets, a.set_share
from probe_addresses a
left join instruction_places p on p.instruction = a.instruction
where a.run = ?1
order by a.count desc, a.instruction

--- histograms
select quantity, subject, low, high, count
from probe_histograms
where run = ?1
order by quantity, subject, low
