-- Questions of pages.
-- functions: demangle place fits_name shown_name

--- print_tables
select s.name, s.type, p.name, p.type
from sqlite_schema s, pragma_table_xinfo(s.name) p
where s.type in ('table', 'view') and s.name not like 'sqlite\_%' escape '\'
order by s.name, p.cid

--- print_run_share
select max(total_share), sum(self_share)
from run_functions
where function = ?1 and run = (select max(id) from runs)

--- print_callees
select f.id, f.name, count(*)
from calls c
join functions f on f.id = c.callee
where c.caller = ?1
group by 1
order by 3 desc, 1

--- page_block_code
select printf('%x', b.address + i.offset) as address,
    case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as text, s.line,
    p.path as file, f.name as callee, f.id as function, b.loop
from blocks b
join code i on i.id between b.first_instruction and b.last_instruction
join encodings e on e.id = i.encoding
left join source_lines s on s.id = i.source_line
left join files p on p.id = s.file
left join calls c on c.caller = b.function and c.instruction = i.id
left join functions f on f.id = c.callee
where b.id = ?1
order by i.id
limit 2000

--- loop_page_measured
select p.run, r.command, p.entries, p.iterations, p.median_iterations, p.max_iterations, p.cycles_per_iteration,
    p.total_ns / 1000
from probe_loops p
join probe_runs r on r.id = p.run
where p.loop = ?1
order by p.run
limit ?2

--- find_notes
select l.first_line, l.id, (select max(cycles) from loop_cycles c where c.loop = l.id)
from loops l
where l.file = ?1 and l.first_line > 0

--- start_compilers
select compiler, flags, sum(loops)
from (select u.compiler as compiler, u.flags as flags, sum(f.loop_count) as loops from functions f join units u on
        u.id = f.unit group by 1, 2 union all select p.compiler, null, (select sum(f.loop_count) from functions f
        where f.program = p.id and f.unit is null) from programs p where p.compiler is not null and not p.has_debug)
group by 1, 2
order by 3 desc, 1, 2

--- start_actions
select a."action", a.level, a.loop_count, a.gain, a.saving, a.loop, f.name
from program_actions a
left join loops l on l.id = a.loop
left join functions f on f.id = l.function
where a.level in ('gain', 'potential')
order by a.saving desc nulls last, a.loop_count desc, a.program, a.position

--- name_loop
select case when ?2 then demangle(f.name) else f.name end, place(p.path, l.first_line, l.last_line)
from loops l
join functions f on f.id = l.function
left join files p on p.id = l.file
where l.id = ?1
