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

--- heat_positions
select source, line, inlined_call, samples, self_seconds, total_seconds
from run_positions
where function = ?1 and run = ?2

--- heat_samples
select instruction, sum(count), sum(seconds)
from samples
where function = ?1 and instruction is not null
group by instruction

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

--- function_of_instruction
select b.function
from code i
join blocks b on b.id = i.block
where i.id = ?1

--- function_of_block
select function
from blocks
where id = ?1

--- sql_functions
select distinct name
from pragma_function_list
where name glob '[a-z]*'
order by name

--- choose_function
select f.id, demangle(f.name), coalesce(place(p.path, f.line, f.line), '')
from functions f
left join files p on p.id = f.file
where f.id in (select id from functions where id = ?1
        union all select id from functions where name = ?1
        union all select id from (select id from functions where name like ?2 and name like ?3 and name like ?4
        order by length(name) limit 30))
order by f.name <> ?1, length(f.name), f.id
limit 30

--- choose_loop
select l.id, demangle(f.name), coalesce(place(p.path, l.first_line, l.last_line), '')
from loops l
join functions f on f.id = l.function
left join files p on p.id = l.file
where l.id in (select id from loops where id = ?1
        union all select id from loops where function in (select id from functions where name like ?2 and name like ?3
        and name like ?4 and loop_count > 0 order by length(name) limit 30))
order by l.id <> ?1, length(f.name), l.id
limit 30

--- choose_block
select b.id, demangle(f.name), printf('0x%x', b.address)
from blocks b
join functions f on f.id = b.function
where b.id = ?1 or (b.function in (select id from functions where name = ?1) and ?2 <> '')
limit 30

--- choose_program
select id, path, isa
from programs
where path like ?2 and ?3 <> '' and ?4 <> ''
limit 30

--- function_name
select name
from functions
where id = ?1

--- has_run_loops
select 1
from run_loops
limit 1

--- has_cycles
select 1
from loop_cycles
limit 1

--- has_weights
select 1
from loop_weights
limit 1

--- functions_of_file
select line, id, name
from functions
where file = ?1 and line > 0 and section is not null

--- lines_of_file
select distinct line
from source_lines
where file = ?1

--- programs
select path, member, isa, format
from programs
order by id

--- count_programs
select count(*)
from programs

--- count_functions
select count(*)
from functions
where section is not null

--- count_loops
select count(*)
from loops

--- count_innermost
select count(*)
from loops
where is_innermost

--- count_instructions
select coalesce(max(id), 0)
from code

--- count_no_debug
select count(*)
from programs
where not has_debug and format <> 'listing'

--- count_stripped
select count(*)
from programs
where not has_symbols and format <> 'listing'

--- count_guessed
select count(*)
from functions
where is_guessed

--- count_no_cycles
select count(distinct loop)
from loop_cycles
where missing is not null

--- files_with_loops
select file
from loops
where file is not null
group by file
order by count(*) desc, file
limit 20

--- problems
select text, count, address
from problems
order by count desc, id

--- count_problems
select count(*)
from problems

--- machines_of_figures
select title, name
from processors
order by id

--- first_program
select path, build_id
from programs
order by id
limit 1

--- block_bytes
select bytes
from blocks
where id = ?1

--- wished_machines
select value
from json_each(?1, '$.machines')
where type = 'text'
limit ?2

--- wish
select ?1 ->> '$.isa', ?1 ->> '$.mode', ?1 ->> '$.text', ?1 ->> '$.original', ?1 ->> '$.title', ?1 ->> '$.place',
    ?1 ->> '$.link', ?1 ->> '$.machine', ?1 ->> '$.copies'
where json_valid(?1)

--- count_files
select count(*)
from files
where id = ?1

--- slowest_paths
-- Of each loop.
select loop, max(cycles) as cycles, "limit"
from loop_cycles
where cycles is not null
group by loop

--- loop_gains
-- What advice of the levels gain and potential would bring a loop, as quality_gain and quality_saving of
-- show/report/quality rank it.  A page must not load the tables of 100,000 loops to show ten, so the ranking is SQL
-- here.  Advice of one rule on several paths adds up; different rules may be about the same time; a gain that is an
-- upper limit counts half.  is_start: the loop runs once, when the program starts or ends.
select g.loop, max(g.gain) as gain, g.is_upper, w.share * max(g.saved) as saving, w.reach = 'start' as is_start
from (select a.loop, max(a.gain) as gain, a.is_upper,
        sum((1 - 1 / a.gain) * iif(a.is_upper, 0.5, 1) * iif(a.is_shared, 1, coalesce(c.share, 1))) as saved
        from advice a left join loop_cycles c on c.loop = a.loop and c.path = a.path
        where a.gain > 1 and a.level_code <= 1 group by a.loop, a.rule) g
left join loop_weights w on w.loop = g.loop
group by g.loop

--- most_to_gain
with t as materialized (select g.* from ({loop_gains}) g where g.saving > 0 and not g.is_start
        order by g.saving desc, g.gain desc, g.loop limit 10)
select l.id, f.name, l.file, p.path, l.first_line, l.last_line, h.address, t.saving, t.gain, t.is_upper, c.cycles,
    c."limit", n.title
from t
join loops l on l.id = t.loop
join functions f on f.id = l.function
join blocks h on h.id = l.header
left join files p on p.id = l.file
left join (select loop, max(cycles) as cycles, "limit" from loop_cycles where loop in (select loop from t) group by loop
        ) c on c.loop = t.loop
left join (select a.loop, r.title, max(a.gain) from advice a join rules r on r.id = a.rule
        where a.level_code <= 1 and a.loop in (select loop from t) group by a.loop) n on n.loop = t.loop
order by t.saving desc, t.gain desc, t.loop

--- deepest
with t as materialized (select id as loop from loops where is_innermost order by depth desc, instruction_count desc,
        id limit 10)
select l.id, f.name, l.file, p.path, l.first_line, l.last_line, h.address, l.depth, l.instruction_count, l.path_count
from t
join loops l on l.id = t.loop
join functions f on f.id = l.function
join blocks h on h.id = l.header
left join files p on p.id = l.file
order by l.depth desc, l.instruction_count desc, l.id

--- function_shares
select function, max(total_share) as total_share, sum(self_share) as self_share
from run_functions
where run = (select max(id) from runs) and function is not null
group by function

--- has_denormal_log
select 1
from denormal_log_entries
limit 1
