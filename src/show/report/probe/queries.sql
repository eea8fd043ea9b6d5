-- Single questions of the views of runs with probes.  ?1 is the run.
-- functions: brief figure place shown_function shown_name

--- probe_find_findings
select kind, function, loop, instruction, value, ns, count
from probe_findings
where run = ?1 and kind is not null and count > 0
order by ns is null, ns desc, value is not null, instruction is not null, count desc, function, loop, instruction,
    value

--- histogram_load
select low, high, count
from probe_histograms
where run = ?1 and subject = ?2 and quantity = ?3 and count > 0
order by low

--- put_reasons
select reason, sum(count)
from probe_placements
where run = ?1 and ?2 and way = ?3 and reason is not 'none'
group by reason
order by 2 desc, 1

--- say_probes
select total(count), total(count * (way = 'jump')), total(count * (way = 'trap')), total(count * (way = 'none'))
from probe_placements
where run = ?1

--- has_times
select exists (select 1 from probe_functions where run = ?1) or exists (select 1 from probe_calls where run = ?1) or
        exists (select 1 from probe_loops where run = ?1 and total_ns is not null)

--- say_limits
with l as (
    select position, kind,
        count - case kind when 'abandoned' then (select coalesce(sum(f.abandoned), 0) from probe_functions f join
            functions n on n.id = f.function where f.run = ?1 and n.name = '_start') else 0 end as count
    from probe_limits
    where run = ?1
)
select kind, count
from l
where count > 0
order by position

--- probe_find_runs
select id, command, process, processor, seconds, exit_status, end_signal, threads, reading_ns, pair_ns, traps,
    (select total(self_ns) from probe_functions f where f.run = r.id) as measured,
    (select count(*) from probe_functions f where f.run = r.id and f.calls > 0) + (select count(*) from probe_loops l
        where l.run = r.id and l.entries > 0) + (select count(*) from probe_calls c where c.run = r.id and c.calls >
        0) + (select count(*) from probe_values v where v.run = r.id and v.count > 0) + (select count(*) from
        probe_addresses a where a.run = r.id and a.count > 0) as subjects,
    (select total(l.total_ns) from probe_loops l where l.run = r.id) + (select total(c.total_ns) from probe_calls c
        where c.run = r.id) as others, thread_seconds, probe_seconds
from probe_runs r
where ?1 = 0 or id = ?1
order by measured + others desc, subjects desc, id

--- put_slowest
select total(count * (low >= ?4)) / total(count),
    total(count * (low + high) / 2 * (low >= ?4)) / total(count * (low + high) / 2)
from probe_histograms
where run = ?1 and subject = ?2 and quantity = ?3

--- word_function
select brief(shown_function(n.name, n.program)), place(s.path, n.line, n.line), f.calls, f.bursts, f.min_ns,
    f.median_ns, f.max_ns, f.self_ns, f.total_ns, f.mean_ns
from probe_functions f
join functions n on n.id = f.function
left join files s on s.id = n.file
where f.run = ?1 and f.function = ?2

--- put_humps
select case when h.low = h.high then printf('%d', h.low) else printf('%d to %d', h.low, h.high - 1) end
from probe_histograms h
join probe_loops l on l.run = h.run and l.loop = h.subject
where h.run = ?1 and h.subject = ?2 and h.quantity = 'iterations' and h.count * 5 >= l.entries
order by h.low

--- word_loop
select place(s.path, l.first_line, l.last_line), brief(shown_function(n.name, n.program)), p.entries,
    p.min_iterations, p.median_iterations, p.max_iterations, p.usual_iterations, p.usual_share, p.cycles_per_entry,
    p.cycles_per_iteration, p.setup_cycles, p.median_ns, p.total_ns,
    exists (select 1 from calls c join code i on i.id = c.instruction join blocks b on b.id = i.block where c.caller =
        l.function and b.loop = l.id)
from probe_loops p
join loops l on l.id = p.loop
left join functions n on n.id = l.function
left join files s on s.id = l.file
where p.run = ?1 and p.loop = ?2

--- word_call
select coalesce(brief(shown_function(e.name, e.program)), 'an unknown function'),
    coalesce(place(p.file, p.line, p.line), printf('0x%x', p.address)), c.calls, c.bursts, c.min_ns, c.median_ns,
    c.max_ns, c.total_ns, c.mean_ns
from probe_calls c
join instruction_places p on p.instruction = c.instruction
left join functions e on e.id = c.callee
where c.run = ?1 and c.instruction = ?2

--- word_value
select v.kind, v.name, v.position, brief(shown_function(n.name, n.program)), place(p.file, p.line, p.line),
    printf('0x%x', p.address), v.count, v.distinct_count,
    (select group_concat(shown, ', ') from (select case when v.is_float then printf('%.6g', q.number) else
        printf('%lld', q.integer) end as shown from probe_frequent q where q.value = v.id order by q.position limit
        4)), (select share from probe_frequent q where q.value = v.id and q.position = 1),
    (select brief(shown_function(e.name, e.program)) from probe_calls c join functions e on e.id = c.callee where
        c.run = v.run and c.instruction = v.instruction)
from probe_values v
left join functions n on n.id = v.function
left join instruction_places p on p.instruction = v.instruction
where v.run = ?1 and v.id = ?2

--- word_access
select case when a.is_store then 'store' else 'load' end,
    coalesce(place(p.file, p.line, p.line), printf('0x%x', p.address)), p.text, a.count, a.bytes, a.stride,
    a.stride_share, a.line_splits, a.aliases, a.lines, a.sets, a.loop,
    coalesce(place(t.file, t.line, t.line), printf('0x%x', t.address))
from probe_addresses a
join instruction_places p on p.instruction = a.instruction
left join instruction_places t on t.instruction = a.alias_instruction
where a.run = ?1 and a.instruction = ?2

--- placements: Probes in the code
-- note: none: why a probe has no place; trap: costs a microsecond or more each time.
select g.path as file, p.way, nullif(p.reason, 'none') as reason, p.count as probes,
    (select i.text from instruction_places i where i.instruction = p.instruction and p.reason is not 'none') as
        "one of them"
from probe_placements p
left join programs g on g.id = p.program
where p.run = ?1
order by p.program, p.count desc
limit ?2

--- run
select id as run, command, process, processor, seconds, exit_status, end_signal, threads, thread_seconds, probe_seconds,
    cycles_per_second, reading_ns, inner_ns, pair_ns, traps
from probe_runs
where id = ?1
