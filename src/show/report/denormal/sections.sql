-- The tables of the report: what each shows, in which order, and the words under it.  ?1 is the run, ?2 the most rows.
--
-- Each is one query over the tables and views denormal_…, with the columns that people read: zeros are left out, so that a column of
-- zeros disappears.  Brief text has only the tables that most people need; NAME_brief is a shorter query in place of NAME there.
-- Columns are named as in the tables wherever they mean the same, so that readers can go on in SQL.
-- functions: call_stack place shown_data shown_function shown_name

--- functions: Functions
-- note: loads, stores: denormal values moved by floating-point instructions; results: operations with a denormal
--   result; moves: copies by integer instructions, which cost nothing extra; events: executions with a denormal
--   operand; underflows: executions that underflowed; extra ms: estimated time lost compared with normal numbers.
-- profiled: events: executions with a denormal operand; underflows: executions whose result was too small for a
--   normal number; extra ms: about how much longer this took than with normal numbers.
-- brief
select shown_function(name, program) as function, instructions, nullif(loads, 0) as loads,
    nullif(results, 0) as results, nullif(stores, 0) as stores, nullif(move_loads + move_stores, 0) as moves,
    nullif(births, 0) as births, nullif(operand_events, 0) as events, nullif(underflow_events, 0) as underflows,
    round(1000 * seconds, 3) as "extra ms", function as function_id
from denormal_functions
where run = ?1 and operand_events + underflow_events + results + loads + stores + move_loads + move_stores > 0
order by operand_events + underflow_events desc, results desc, loads + stores + move_loads + move_stores desc, name
limit ?2

--- lines: Source lines
-- brief
select place(file, line, line) as place, shown_name(name) as function, nullif(loads, 0) as loads,
    nullif(results, 0) as results, nullif(stores, 0) as stores, nullif(move_loads + move_stores, 0) as moves,
    nullif(births, 0) as births, nullif(operand_events, 0) as events, nullif(underflow_events, 0) as underflows,
    round(1000 * seconds, 3) as "extra ms", function as function_id
from denormal_lines
where run = ?1 and file is not null and operand_events + underflow_events + results + loads + stores + move_loads +
        move_stores > 0
order by operand_events + underflow_events desc, results desc, loads + stores + move_loads + move_stores desc, file,
    line
limit ?2

--- instructions: Instructions
select shown_function(d.name, d.program) as function, place(d.file, d.line, d.line) as place,
    (select case when l.first_line < l.last_line then printf('%d-%d', l.first_line, l.last_line) else l.first_line end
        from loops l where l.id = d.loop) as loop, printf('0x%x', d.address) as address, d.text as instruction,
    nullif(d.loads, 0) as loads, nullif(d.results, 0) as results, nullif(d.stores, 0) as stores,
    nullif(d.move_loads + d.move_stores, 0) as moves, nullif(d.operand_events, 0) as events,
    nullif(d.underflow_events, 0) as underflows, nullif(cast(round((d.high - d.low) / 2) as integer), 0) as "±",
    round(1000 * d.seconds, 3) as "extra ms", d.function as function_id, d.loop as loop_id
from denormal_instructions d
where d.run = ?1 and d.operand_events + d.underflow_events + d.results + d.loads + d.stores + d.move_loads +
        d.move_stores > 0
order by d.operand_events + d.underflow_events desc, d.results desc,
    d.loads + d.stores + d.move_loads + d.move_stores desc, d.program, d.address
limit ?2

--- loops: Loops
-- note: Innermost loops around these instructions; the view denormal_loops has their cycles as well.
select shown_name(n.name) as function, place(f.path, l.first_line, l.last_line) as place, l.depth,
    sum(d.operand_events) as events, nullif(sum(d.underflow_events), 0) as underflows,
    nullif(sum(d.results), 0) as results, round(1000 * sum(d.seconds), 3) as "extra ms", n.id as function_id,
    l.id as loop_id
from denormal_instructions d
join loops l on l.id = d.loop
join functions n on n.id = l.function
left join files f on f.id = l.file
where d.run = ?1
group by l.id
having sum(d.operand_events + d.underflow_events + d.results) > 0
order by sum(d.operand_events + d.underflow_events) desc, l.id
limit ?2

-- "few" means ten times fewer: stencils also read each value several times for each write.
--- arrays: Arrays
-- note: source: few writes and many reads, or most of its denormals arise there; passes on: read about as often as
--   written; sink: hardly read. integers: accesses to integers stored in the array, whose bits only look denormal.
-- brief
select shown_data(name) as name, shown_name((select n.name from functions n where n.id = a.function)) as function,
    kind, element as type,
    case when is_assumed and dimensions like '%:%' and element_bytes > 0 then printf('%d, drawn as ', bytes /
        element_bytes) else '' end || replace(dimensions, ':', ' × ') as dimensions, nullif(loads, 0) as loads,
    nullif(stores, 0) as stores, nullif(move_loads + move_stores, 0) as moves,
    nullif(integer_loads + integer_stores, 0) as integers,
    case when loads + stores + move_loads + move_stores = 0 then 'holds integers' when loads + move_loads >= 10 *
        (stores + move_stores) or (select sum(o.count) from denormal_origins o where o.run = ?1 and o.destination =
        a.id and o.source is null) * 2 > (select sum(o.count) from denormal_origins o where o.run = ?1 and
        o.destination = a.id) then 'source' when stores + move_stores >= 10 * (loads + move_loads) then 'sink' else
        'passes on' end as reading
from denormal_arrays a
where run = ?1 and loads + stores + move_loads + move_stores + integer_loads + integer_stores > 0
order by loads + stores + move_loads + move_stores desc, integer_loads + integer_stores desc, id
limit ?2

--- origins: From array to array
-- note: values: denormals stored in one array that were computed from another.
-- bars: 2
select shown_data(d.name) as "to", coalesce(shown_data(s.name), 'new denormals') as "from", o.count as "values"
from denormal_origins o
join denormal_arrays d on d.id = o.destination
left join denormal_arrays s on s.id = o.source
where o.run = ?1
order by o.count desc, o.destination, o.source
limit ?2

--- births: Births
-- note: Where normal numbers become denormal. operations: on these values and on values computed from them;
--   removable: operations that storing 0 here would remove.
select coalesce(shown_name(coalesce(n.name, (select r.name from denormal_frames r where r.stack = b.stack and
        r.position = 1))), case when b.address is null then '(from outside)' else printf('0x%x', b.address) end) as
        function, place(f.path, l.line, l.line) as place, b."values" as "values",
    nullif(b.descendants, 0) as operations, nullif(b.removable, 0) as removable,
    (select shown_data(a.name) from denormal_arrays a where a.id = b.array) as "stored in",
    call_stack(b.stack) as stack
from denormal_births b
left join code i on i.id = b.instruction
left join source_lines l on l.id = i.source_line
left join files f on f.id = l.file
left join functions n on n.id = b.function
where b.run = ?1
order by b.removable desc, b.descendants desc, b."values" desc, b.id
limit ?2

--- consumers: Where denormals are used
-- note: operands, results: denormal operands and results of arithmetic; ends: operations on denormals with a
--   normal result.
-- bars: 3
select shown_function(name, program) as function, place(file, line, line) as place, text as instruction, operands,
    nullif(results, 0) as results, nullif(ends, 0) as ends
from denormal_instructions
where run = ?1 and operands > 0
order by operands desc, program, address
limit ?2

--- ends: Where denormals end
-- bars: 3
select shown_function(name, program) as function, place(file, line, line) as place, text as instruction, ends,
    nullif(operands, 0) as operands
from denormal_instructions
where run = ?1 and ends > 0
order by ends desc, program, address
limit ?2

--- kinds: Denormal inputs by kind of instruction
-- note: share: executions with a denormal operand, for instructions whose executions were counted.
-- bars: 4
select mnemonic, instructions, executions, operand_events as events, round(100.0 * share, 2) as "share %"
from denormal_kinds
where run = ?1
order by operand_events desc, mnemonic
limit ?2

--- near: Close to the denormal range
-- note: near: normal results within the requested number of binades of the denormal range.
-- bars: 3
-- brief
select shown_function(name, program) as function, place(file, line, line) as place, text as instruction, near
from denormal_instructions
where run = ?1 and near > 0
order by near desc, program, address
limit ?2

--- phases: Phases
-- bars: 6
-- brief
select p.position as phase, p.name, round(p.start, 3) as start, round(p.seconds, 3) as took,
    nullif(t.loads, 0) as loads, nullif(t.stores, 0) as stores, coalesce(t.events, 0) as events
from denormal_phases p
left join (select phase, sum(loads) as loads, sum(stores) as stores, sum(operand_events + underflow_events) as events
        from denormal_sites where run = ?1 group by phase) t on t.phase = p.id
where p.run = ?1 and (select count(*) from denormal_phases where run = ?1) > 1
order by p.position
limit ?2

--- samples: Samples of events
-- note: Events of one kind are grouped; values: smallest and largest value of the operand or result.
-- brief
select count(*) as samples, s.event, shown_name(n.name) as function, place(f.path, l.line, l.line) as place,
    coalesce(case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end,
        printf('0x%x', s.address)) as instruction, s.operand,
    case when min(s.value) < max(s.value) then printf('%.3g … %.3g', min(s.value), max(s.value)) when s.value is not
        null then printf('%.3g', s.value) end as "values", shown_data(s.place) as "in",
    case when count(distinct s.data_address) = 1 then printf('0x%x', max(s.data_address)) end as "at",
    call_stack(s.stack) as stack
from denormal_samples s
left join code i on i.id = s.instruction
left join encodings e on e.id = i.encoding
left join blocks b on b.id = i.block
left join functions n on n.id = b.function
left join source_lines l on l.id = i.source_line
left join files f on f.id = l.file
where s.run = ?1
group by s.event, s.program, s.address, s.operand, s.place, s.stack
order by count(*) desc, min(s.id)
limit ?2

--- samples_brief
-- The call stack starts with the function; one stack represents all of the same place.
select count(*) as samples, s.event,
    coalesce(case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end,
        printf('0x%x', s.address)) as instruction,
    case when min(s.value) < max(s.value) then printf('%.3g … %.3g', min(s.value), max(s.value)) when s.value is not
        null then printf('%.3g', s.value) end as "values", shown_data(s.place) as "in",
    call_stack(min(s.stack)) || case when count(distinct s.stack) > 1 then printf(' (and %d others)', count(distinct
        s.stack) - 1) else '' end as stack
from denormal_samples s
left join code i on i.id = s.instruction
left join encodings e on e.id = i.encoding
where s.run = ?1
group by s.event, s.program, s.address, s.place
order by count(*) desc, min(s.id)
limit ?2

--- penalties: What a denormal costs on this processor
-- note: Measured on it: nanoseconds per operation with normal numbers and with a denormal.
-- bars: 3
-- brief
select text as operation, round(normal_seconds * 1e9, 2) as "normal ns",
    round(denormal_seconds * 1e9, 2) as "denormal ns", round(denormal_seconds / normal_seconds, 1) as times
from denormal_penalties
where run = ?1
order by denormal_seconds - normal_seconds desc, text
limit ?2

--- penalties_brief
-- Penalties of operations that the run did with denormals; run/denormal/costs.c maps classes and elements.
with met as (
    select distinct case e.class when 'sqrt' then 'square root' when 'minmax' then 'compare' else e.class end as
            operation,
        case when e.element = 'x87' then 'x87' when (e.element = 'fp32') <> (e.class = 'convert') then 'float' else
            'double' end as type
    from denormal_sites s
    join code i on i.id = s.instruction
    join encodings e on e.id = i.encoding
    where s.run = ?1 and s.operand_events + s.underflow_events > 0
)
select text as operation, round(normal_seconds * 1e9, 2) as "normal ns",
    round(denormal_seconds * 1e9, 2) as "denormal ns", round(denormal_seconds / normal_seconds, 1) as times
from denormal_penalties p
where run = ?1 and exists (select 1 from met where met.operation = p.operation and met.type = p.type)
order by denormal_seconds - normal_seconds desc, text
limit ?2

--- limits: What the run could not see
-- brief
select text as limit_text, "count"
from denormal_limits
where run = ?1 and kind is not 'left out'
order by position
limit ?2
