-- The tables of the report, for people.  ?1 is the run, ?2 the most rows.  Distributions are drawn only for the rows that are shown: hence
-- the with.  Columns are named as in the tables probe_… wherever they mean the same; times have their unit in the name.
-- functions: brief figure place shown_function sparkline

--- functions: Functions
-- note: total: with everything called; self: without called functions that have probes (library functions have
--   none unless --object names the library); times of calls in nanoseconds, empty where the clock cannot tell them;
--   distribution: calls by time, on a logarithmic scale.
with chosen as materialized (
    select brief(shown_function(n.name, n.program)) as function, place(s.path, n.line, n.line) as place, f.calls,
        figure(round(f.total_ns / 1e6, 3)) as "total ms", figure(round(f.self_ns / 1e6, 3)) as "self ms",
        figure(round(100 * f.self_ns / nullif(r.self_ns, 0), 1)) as "self %",
        case when f.calls > 1 and f.bursts * 2 <= f.calls then figure(f.min_ns) end as min,
        case when f.calls > 1 and f.bursts * 2 <= f.calls then figure(f.median_ns) end as median,
        case when f.calls > 1 then figure(f.max_ns) end as max,
        case when f.calls > 1 then figure(f.deviation_ns) end as deviation, f.function as subject,
        nullif(f.abandoned, 0) as abandoned
    from probe_functions f
    join functions n on n.id = f.function
    left join files s on s.id = n.file, (select total(self_ns) as self_ns from probe_functions where run = ?1) r
    where f.run = ?1 and f.calls > 0 and (f.self_ns >= 0.01 * r.self_ns or n.name not in ('_start', '_init', '_fini',
            'call_weak_fn', 'frame_dummy', 'register_tm_clones', 'deregister_tm_clones', '__do_global_dtors_aux'))
    order by f.self_ns desc, f.calls desc, f.function
    limit ?2
)
select function, place, calls, "total ms", "self ms", "self %", min, median, max, deviation,
    sparkline(?1, 'function time', subject) as distribution, abandoned, subject as function_id
from chosen

--- loops: Loops
-- note: min, median, max, usual: iterations of an entry, and how many entries have the usual number; set-up:
--   cycles of an entry that do not depend on its iterations; distribution: entries by iterations.
with chosen as materialized (
    select l.loop, brief(shown_function(n.name, n.program)) as function,
        place(s.path, p.first_line, p.last_line) as place, l.entries, l.iterations, l.min_iterations as min,
        figure(l.median_iterations) as median, l.max_iterations as max,
        case when l.min_iterations < l.max_iterations then l.usual_iterations || printf(' (%s %%)', figure(100 *
            l.usual_share)) end as usual, figure(l.cycles_per_entry) as "cycles/entry",
        figure(l.cycles_per_iteration) as "cycles/iteration", figure(l.setup_cycles) as "set-up",
        figure(round(l.total_ns / 1e6, 3)) as "total ms"
    from probe_loops l
    join loops p on p.id = l.loop
    left join functions n on n.id = p.function
    left join files s on s.id = p.file
    where l.run = ?1 and l.entries > 0
    order by l.total_ns desc, l.iterations desc, l.loop
    limit ?2
)
select *, sparkline(?1, 'iterations', loop) as distribution
from chosen

--- calls: Calls
-- note: Times of calls in nanoseconds, empty where the clock cannot tell them.
with chosen as materialized (
    select coalesce(brief(shown_function(e.name, e.program)), '?') as callee,
        brief(shown_function(n.name, n.program)) as caller,
        coalesce(place(p.file, p.line, p.line), printf('0x%x', p.address)) as place, c.calls,
        figure(round(c.total_ns / 1e6, 3)) as "total ms",
        case when c.calls > 1 and c.bursts * 2 <= c.calls then figure(c.min_ns) end as min,
        case when c.calls > 1 and c.bursts * 2 <= c.calls then figure(c.median_ns) end as median,
        case when c.calls > 1 then figure(c.max_ns) end as max,
        case when c.calls > 1 then figure(c.deviation_ns) end as deviation, c.instruction as subject,
        nullif(c.abandoned, 0) as abandoned
    from probe_calls c
    left join instruction_places p on p.instruction = c.instruction
    left join functions e on e.id = c.callee
    left join functions n on n.id = c.caller
    where c.run = ?1 and c.calls > 0
    order by c.total_ns desc, c.instruction
    limit ?2
)
select callee, caller, place, calls, "total ms", min, median, max, deviation,
    sparkline(?1, 'call time', subject) as distribution, abandoned
from chosen

--- values: Values
-- note: frequent: the most frequent values with their shares; distinct: exact up to 16, then at least.
with chosen as materialized (
    select shown_function(n.name, n.program) as function, v.kind, coalesce(v.name, v.position) as name,
        place(p.file, p.line, p.line) as place, v.count, v.distinct_count as "distinct",
        (select group_concat(shown, ', ') from (select case when v.mean is null then printf('0x%x', q.integer) when
            v.is_float then printf('%.6g', q.number) else printf('%lld', q.integer) end || printf(' (%.3g %%)', 100 *
            q.share) as shown from probe_frequent q where q.value = v.id order by q.position limit 4)) as frequent,
        case when v.mean is not null then figure(v.minimum) end as min,
        case when v.mean is not null then figure(v.maximum) end as max, figure(v.mean) as mean,
        figure(v.deviation) as deviation, v.id as subject
    from probe_values v
    left join functions n on n.id = v.function
    left join instruction_places p on p.instruction = v.instruction
    where v.run = ?1 and v.count > 0
    order by v.distinct_count, v.count desc, v.id
    limit ?2
)
select function, kind, name, place, count, "distinct", frequent, min, max, mean, deviation,
    sparkline(?1, 'value', subject) as distribution
from chosen

--- addresses: Loads and stores
-- note: stride: most frequent distance from the access before, in bytes, and how many accesses have it; aligned:
--   largest power of two that divides all addresses; splits, pages: accesses that cross a line of 64 bytes, a page;
--   aliases: loads shortly after a store to the same low 12 address bits; sets: of 64.
select coalesce(place(p.file, p.line, p.line), printf('0x%x', p.address)) as place, p.text as instruction,
    case when a.is_store then 'store' else 'load' end as kind, a.bytes, a.count,
    a.stride || printf(' (%s %%)', figure(100 * a.stride_share)) as stride, a.alignment as aligned, a.lines, a.pages,
    nullif(figure(100.0 * a.line_splits / a.count), 0) as "splits %",
    nullif(figure(100.0 * a.page_splits / a.count), 0) as "pages %",
    nullif(figure(100.0 * a.aliases / a.count), 0) as "aliases %", a.sets
from probe_addresses a
left join instruction_places p on p.instruction = a.instruction
where a.run = ?1 and a.count > 0
order by a.count desc, a.instruction
limit ?2
