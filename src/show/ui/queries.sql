-- Questions of the local page, besides those of single pages.
-- functions: demangle place fits_name

--- find_functions
select f.name, p.path, f.line, f.loop_count, f.address
from functions f
left join files p on p.id = f.file
where f.id = ?1

--- find_lines
select id, path
from files
where path like ?1 escape '\'
order by path not like '%/' || ?2, length(path), path

--- find_address
select c.id
from (select id from functions where address <= ?1 and size > 0 order by address desc limit 1) f
join blocks b on b.function = f.id and b.address <= ?1
join code c on c.id between b.first_instruction and b.last_instruction and b.address + c.offset <= ?1
order by b.address desc, c.offset desc
limit 1

--- has_denormals
select 1
from denormal_runs
limit 1

--- has_probes
select 1
from probe_runs
limit 1

--- has_run
select 1
from runs
limit 1

--- instruction_sets
select isa
from programs
where isa <> 'none'
order by id

--- function_names
select id, name
from functions
where name is not null
order by id

--- mnemonics
select name, sum(uses)
from encodings
where name is not null
group by 1
order by 1

--- known_calls
select callee, caller
from calls
where callee is not null

--- place_of_instruction
select f.id, f.name, b.address + c.offset,
    case when c.target is null then e.text else replace(e.text, '@', printf('0x%x', c.target)) end, b.loop,
    c.id - first.first_instruction
from code c
join blocks b on b.id = c.block
left join functions f on f.id = b.function
left join blocks first on first.id = f.first_block
left join encodings e on e.id = c.encoding
where c.id = ?1

--- last_instruction
select max(id)
from code

--- file_path
select path
from files
where id = ?1

--- callees
select distinct callee
from calls
where caller = ?1 and callee is not null
limit ?2

--- weight
select around, around_calls, iterations, share
from loop_weights
where loop = ?1

--- loop_numbered
select l.id, f.name, p.path, l.first_line, l.last_line
from loops l
join functions f on f.id = l.function
left join files p on p.id = l.file
where l.id = ?1

--- loops_at
select l.id, f.name, p.path, l.first_line, l.last_line
from loops l
join functions f on f.id = l.function
left join files p on p.id = l.file
where l.file = ?1 and ?2 between l.first_line and l.last_line
order by l.depth desc, l.id

--- instructions_named
select id
from code
where id >= ?2 and id < ?3 and encoding in (select id from encodings where name = ?1)
limit ?4

--- instructions_like
select id
from code
where id >= ?2 and id < ?3 and encoding in (select id from encodings where text glob ?1)
limit ?4
