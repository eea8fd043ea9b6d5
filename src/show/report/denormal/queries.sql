-- Single questions of the views of denormals.  ?1 is the run.
-- functions: call_stack place shown_data shown_function shown_name

--- most_functions
select shown_function(name, program), sum(operand_events + underflow_events) as events,
    sum(results + loads + stores + move_loads + move_stores) as others
from denormal_functions
where run = ?1
group by program, function, name
order by events desc, others desc
limit ?2

--- most_lines
select place(file, line, line), sum(operand_events + underflow_events) as events,
    sum(results + loads + stores + move_loads + move_stores) as others
from denormal_lines
where run = ?1 and file is not null
group by file, line
order by events desc, others desc
limit ?2

--- say_phases
select min(p.position), max(p.position), min(p.start), max(p.start + p.seconds),
    (select count(*) from denormal_phases where run = ?1)
from denormal_phases p
where p.run = ?1 and p.id in (select phase from denormal_sites where run = ?1 and case when ?2 then operand_events +
        underflow_events else loads + stores + move_loads + move_stores end > 0)

--- say_arrays
select coalesce(shown_data(name), 'an array without a name'),
    (select count(*) from denormal_arrays where run = ?1 and loads + stores + move_loads + move_stores > 0)
from denormal_arrays
where run = ?1 and loads + stores + move_loads + move_stores > 0
order by loads + stores + move_loads + move_stores desc, id
limit ?2

--- find_best
select birth, share
from (select birth, share from denormal_chains where run = ?1 union all select b.id, b.removable * 1.0 /
        nullif((select sum(operand_events) from denormal_sites where run = ?1), 0) from denormal_births b where b.run
        = ?1 and not exists (select 1 from denormal_chains where run = ?1))
where birth is not null and share > 0
order by share desc, birth
limit 1

--- say_all_births
select max((select count(*) from denormal_chains where run = ?1), (select count(*) from (select distinct program,
        address from denormal_births where run = ?1)))

--- find_surroundings
select isa, exists (select 1 from units u where u.program = p.id and u.language = 'Fortran')
from programs p
order by exists (select 1 from denormal_sites s where s.run = ?1 and s.program = p.id) desc, id
limit 1

--- report_denormal_csv
select s.run, r.tool, r.mode, r.process, p.position as phase, p.name as phase_name, g.path as program, s.address,
    shown_name(coalesce(n.name, s.name)) as function, f.path as file, l.line, s.loop,
    case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as instruction,
    s.executions, s.operand_events, s.underflow_events, s.operands, s.results, s.births, s.ends, s.loads, s.stores,
    s.move_loads, s.move_stores, s.near, s.low, s.high, s.seconds
from denormal_sites s
join denormal_runs r on r.id = s.run
left join denormal_phases p on p.id = s.phase
left join programs g on g.id = s.program
left join code i on i.id = s.instruction
left join encodings e on e.id = i.encoding
left join source_lines l on l.id = i.source_line
left join files f on f.id = l.file
left join functions n on n.id = s.function
where ?1 = 0 or s.run = ?1
order by s.run, p.position, s.program, s.address

--- find_lines
select total(weight * (file is not null)) * 2 > total(weight)
from (select file, operand_events + underflow_events + results + loads + stores as weight from denormal_lines where
        run = ?1)

--- phase_words
select printf('phase %d', position) || coalesce(', ' || name, '') || coalesce(printf(', from %.3g s', start), '')
from denormal_phases
where id = ?1

--- parts_by_phase
select p.id
from denormal_phases p
where exists (select 1 from denormal_maps m where m.array = ?1 and m.phase = p.id and m.kind <> 'origin') and p.run =
        (select run from denormal_arrays where id = ?1)
order by p.position

--- parts_by_source
select a.id, coalesce(shown_data(a.name), 'array')
from denormal_arrays a
where a.id in (select m.source from denormal_maps m where m.array = ?1 and m.kind = 'origin' and m.phase is null)
order by a.id

--- denormal_find_mapped
select a.id, shown_data(a.name), a.dimensions, max((m.width - 1) * max(m.shrink, 1) / f.shrink + 1),
    max((m.height - 1) * max(m.shrink, 1) / f.shrink + 1), f.shrink, max(m.slice) + 1,
    max(case when m.kind = 'loads' and m.phase is null then m.largest end),
    max(case when m.kind = 'stores' and m.phase is null then m.largest end),
    max(case when m.kind = 'loads' and m.phase is not null then m.largest end),
    max(case when m.kind = 'stores' and m.phase is not null then m.largest end), min(m.width), min(m.height),
    a.is_assumed
from denormal_maps m
join denormal_arrays a on a.id = m.array
join (select array, max(1, min(shrink)) as shrink from denormal_maps group by array) f on f.array = a.id
where a.run = ?1
group by a.id
order by a.loads + a.stores + a.move_loads + a.move_stores desc, a.id
limit ?2

--- add_maps
select slice, counts, width, height, shrink
from denormal_maps
where array = ?1 and kind = ?4 and (source = ?5 or ?5 = 0) and case when ?6 then phase is not null when ?3 = 0 then
        phase is null else phase = ?3 end and ?2 <> 0

--- phase_position
select position
from denormal_phases
where id = ?1

--- find_totals
select total(sites), total(operand_events), total(underflow_events), total(operands), total(results), total(births),
    total(ends), total(loads), total(stores), total(moves), total(near), total(below * below), total(above * above),
    sum(seconds), total(unknown), total(estimates)
from (select total(operand_events) as operand_events, total(underflow_events) as underflow_events, total(operands) as
        operands, total(results) as results, total(births) as births, total(ends) as ends, total(loads) as loads,
        total(stores) as stores, total(move_loads + move_stores) as moves, total(near) as near, total(operand_events +
        underflow_events - low) as below, total(high - operand_events - underflow_events) as above, sum(seconds) as
        seconds, total((operand_events + underflow_events) * (seconds is null)) as unknown, count(low) as estimates,
        (phase is (select min(phase) from denormal_sites where run = ?1)) * (select count(distinct coalesce(program,
        0) || ' ' || address) from denormal_sites where run = ?1) as sites from denormal_sites where run = ?1 group by
        phase)

--- find_others
select (select total(integer_loads + integer_stores) from denormal_arrays where run = ?1),
    (select count(*) from denormal_limits where run = ?1 and kind is not 'left out'),
    (select total(count) from denormal_limits where run = ?1 and kind = 'left out')

--- run
-- Its head in JSON.
select id as run, tool, mode, command, process, processor, seconds,
    case when exit_status >= 0 then exit_status end as exit_status, nullif(end_signal, 0) as end_signal, binades
from denormal_runs
where id = ?1

--- denormal_find_runs
select id, tool, mode, command, process, processor, seconds, exit_status, end_signal, binades
from denormal_runs
where ?1 = 0 or id = ?1
order by id

--- find_steps
select s.array, s.source, s.count, coalesce(shown_data(a.name), 'an array without a name')
from denormal_chain_steps s
join denormal_arrays a on a.id = s.array
where s.chain = ?1
order by s.position
limit ?2

--- denormal_find_birth
with places as (
    select 0 as position, b.program, f.path, s.line,
        coalesce(n.name, (select r.name from denormal_frames r where r.stack = b.stack and r.position = 1)) as name
    from denormal_births b
    left join code i on i.id = b.instruction
    left join source_lines s on s.id = i.source_line
    left join files f on f.id = s.file
    left join functions n on n.id = b.function
    where b.id = ?1
    union all
    select r.position, r.program, f.path, r.line, coalesce(r.name, n.name)
    from denormal_births b
    join denormal_frames r on r.stack = b.stack
    left join files f on f.id = r.file
    left join functions n on n.id = r.function
    where b.id = ?1 and (r.position > 1 or b.instruction is null)
),
 best as (
    select *
    from places
    where path is not null and line is not null
    order by program = (select min(id) from programs) desc, path like '/usr/%', position
    limit 1
)
select (select shown_name(name) from places order by position limit 1),
    (select shown_name(name) from best where position > 1), (select place(path, line, line) from best), b.address
from denormal_births b
where b.id = ?1

--- denormal_story
select c.id, c.birth, c.share, coalesce(nullif(c."values", 0), b."values") as born
from denormal_chains c
join denormal_births b on b.id = c.birth
where c.run = ?1
order by c.share desc, born desc, c.id
limit ?2

--- draw_origins
select o.source, shown_data(s.name), replace(s.dimensions, ':', ' × '), o.destination, shown_data(d.name),
    replace(d.dimensions, ':', ' × '), o.count,
    exists (select 1 from denormal_chain_steps t join denormal_chains c on c.id = t.chain where c.run = o.run and
        t.array = o.destination and t.source = o.source)
from denormal_origins o
join denormal_arrays s on s.id = o.source
join denormal_arrays d on d.id = o.destination
where o.run = ?1
order by 8 desc, o.count desc, o.destination, o.source
limit ?2

--- draw_births
select x.first, shown_data(a.name), replace(a.dimensions, ':', ' × '), x.birth, x.born
from (select b.id as birth, coalesce(nullif(c."values", 0), b."values") as born, c.share as share, coalesce((select
        t.array from denormal_chain_steps t where t.chain = c.id and t.source is null order by t.position limit 1),
        b.array) as first from denormal_births b left join denormal_chains c on c.birth = b.id and c.run = b.run where
        b.run = ?1 and (c.id is not null or not exists (select 1 from denormal_chains where run = ?1))) x
left join denormal_arrays a on a.id = x.first
order by x.share desc, x.born desc, x.birth
limit ?2

--- sql_call_stack
select coalesce(shown_name(coalesce(r.name, n.name)), printf('0x%x', r.address), '?'), place(p.path, r.line, r.line)
from denormal_frames r
left join functions n on n.id = r.function
left join files p on p.id = r.file
where r.stack = ?1
order by r.position
limit ?2

--- log_lines
select e.number, e.action, coalesce(place(f.path, l.line, l.line), printf('0x%x', e.address)),
    coalesce(shown_name(n.name), ''), e.operands, e.operand_bytes, e.result_bytes, e.first, e.second, e.third,
    a.number, b.number, c.number, e.result, coalesce(shown_data(r.name), 'memory'), e.element, e.data_address, e.lane,
    e.id
from denormal_log_entries e
left join code i on i.id = e.instruction
left join source_lines l on l.id = i.source_line
left join files f on f.id = l.file
left join functions n on n.id = e.function
left join denormal_arrays r on r.id = e.array
left join denormal_log_entries a on a.id = e.first_from
left join denormal_log_entries b on b.id = e.second_from
left join denormal_log_entries c on c.id = e.third_from
where e.run = ?1 and (?3 is null or e.number >= ?3)
order by e.number
limit ?2

--- log_widths
select max(length(place)), max(length(name)), min(number), max(number), count(*)
from (select coalesce(place(f.path, l.line, l.line), printf('0x%x', e.address)) as place,
        coalesce(shown_name(n.name), '') as name, e.number as number from denormal_log_entries e left join code i on
        i.id = e.instruction left join source_lines l on l.id = i.source_line left join files f on f.id = l.file left
        join functions n on n.id = e.function where e.run = ?1)

--- log_rows
select e.run, e.number, e.action, p.path as program, e.address, shown_name(n.name) as function, f.path as file,
    l.line, e.lane, e.operands, e.operand_bytes, e.result_bytes, e.first, e.second, e.third, a.number as first_from,
    b.number as second_from, c.number as third_from, e.result, shown_data(r.name) as array, e.element,
    e.data_address, e.is_move
from denormal_log_entries e
left join programs p on p.id = e.program
left join code i on i.id = e.instruction
left join source_lines l on l.id = i.source_line
left join files f on f.id = l.file
left join functions n on n.id = e.function
left join denormal_arrays r on r.id = e.array
left join denormal_log_entries a on a.id = e.first_from
left join denormal_log_entries b on b.id = e.second_from
left join denormal_log_entries c on c.id = e.third_from
where ?1 = 0 or e.run = ?1
order by e.run, e.number

--- log_runs
select r.id, r.command, r.process
from denormal_runs r
where (?1 = 0 or r.id = ?1) and exists (select 1 from denormal_log_entries e where e.run = r.id)
order by r.id

--- log_links
select number, coalesce(first_from, 0), coalesce(second_from, 0), coalesce(third_from, 0), id
from denormal_log_entries
where run = ?1
order by number
limit ?2

--- log_limits
select text, count
from denormal_limits
where run = ?1 and (text like '%the log%' or kind = 'recording')
order by position
