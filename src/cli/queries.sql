-- What commands ask of the tables of a program, besides what views of the report ask.
-- functions: demangle place gap

--- code_sections
select id
from sections
where is_code and (?1 is null or name = ?1) and (?2 = 0 or program = ?2) and size > 0
order by program, address

--- asm_rows
-- Of everything: the queries below choose.
select i.id as instruction, f.name as function, b.id as block, b.address + i.offset as address,
    substr(b.bytes, i.offset + 1, e.size) as bytes, e.name as name,
    case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as text,
    i.target as target, p.path as file, s.line as line, c.name as inlined, b.loop as loop, l.line as listing_line
from blocks b
cross join code i on i.block = b.id and i.id between b.first_instruction and b.last_instruction
cross join encodings e on e.id = i.encoding
left join functions f on f.id = b.function
left join source_lines s on s.id = i.source_line
left join files p on p.id = s.file
left join inlined_calls c on c.id = s.inlined_call
left join listing_instructions l on l.instruction = i.id

--- asm_rows_of_functions
{asm_rows}
where b.function in (select value from json_each(?1))
order by i.id

--- asm_rows_of_loops
{asm_rows}
where b.id in (select block from loop_blocks where loop in (select value from json_each(?1)))
order by i.id

--- asm_rows_of_blocks
{asm_rows}
where b.id in (select value from json_each(?1))
order by i.id

--- asm_rows_of_sections
{asm_rows}
where b.section in (select value from json_each(?1))
order by i.id

--- asm_function_has_no_bytes
-- An IA-64 listing has none.
select 1
from programs p
join functions x on x.program = p.id
where x.id = ?1 and p.format = 'listing' and p.isa = 'ia64'

--- asm_loop_has_no_bytes
select 1
from programs p
join functions f on f.program = p.id
join loops x on x.function = f.id
where x.id = ?1 and p.format = 'listing' and p.isa = 'ia64'

--- asm_block_has_no_bytes
select 1
from programs p
join sections s on s.program = p.id
join blocks x on x.section = s.id
where x.id = ?1 and p.format = 'listing' and p.isa = 'ia64'

--- asm_section_has_no_bytes
select 1
from programs p
join sections x on x.program = p.id
where x.id = ?1 and p.format = 'listing' and p.isa = 'ia64'

--- inlined_into
-- Where the code of a function went that was inlined, the most time first.
select f.name
from inlined_calls c
join functions f on f.id = c.function
join run_functions r on r.function = f.id
where c.name = ?1
order by r.self_seconds desc
limit 1

--- has_edits
select 1 from edits limit 1

--- edits_of_database
select instruction, kind, other, text, reason from edits order by id

--- next_program
select p.id, p.format = 'listing' and exists (select * from listings l where l.program = p.id)
from programs p
where p.id > ?1 and (?2 = 0 or p.id = ?2)
order by p.id
limit 1

--- bound_rows
select b.loop, f.name as function, p.path as file, l.first_line, l.last_line, b.level, c.name as machine, b.floating,
    b.branches, b.memory, b.cycles, b.cpf, b.cpb, b.cpm, b.origin, gap(b.loop, b.level) as gap
from bounds b
join processors c on c.id = b.processor
join loops l on l.id = b.loop
join functions f on f.id = l.function
left join files p on p.id = l.file
order by b.loop, b.level_code

--- functions_named
select id
from functions
where name = ?1
order by id

--- function_names
select id, name
from functions

--- cycles_of_loops
select json_extract(j.value, '$[2]') as "  cycles", json_extract(j.value, '$[3]') as "   least",
    json_extract(j.value, '$[6]') as "   in L1", json_extract(j.value, '$[7]') as unaligned,
    json_extract(j.value, '$[8]') as "by operands", json_extract(j.value, '$[4]') as "limit",
    json_extract(j.value, '$[1]') as instructions, l.id as loop,
    case when ?2 then demangle(f.name) else f.name end as function, place(p.path, l.first_line, l.last_line) as lines,
    json_extract(j.value, '$[5]') as remark
from json_each(?1) j
join loops l on l.id = json_extract(j.value, '$[0]')
join functions f on f.id = l.function
left join files p on p.id = l.file
order by j.key

--- innermost_loops
select l.id
from loops l
join functions f on f.id = l.function
where l.is_innermost and (?1 is null or l.function in (select value from json_each(?1))) and (?2 = 0 or l.id = ?2)
        and (?3 = 0 or f.program = ?3)
order by l.id

--- cycles_of_innermost
select l.id, max(m.cycles), m.cycles_per_source_iteration, coalesce(r.role, 'only') in ('only', 'main')
from loops l
join loop_metrics m on m.loop = l.id
left join loop_roles r on r.loop = l.id
where l.is_innermost
group by l.id
order by l.id

--- hot_loops
-- Loops of one source loop are one.
select f.path, l.first_line, sum(r.self_share), u.producer, u.directory, u.name, p.path
from run_loops r
join loops l on l.id = r.loop
join functions n on n.id = l.function
join units u on u.id = n.unit
join files f on f.id = l.file
join programs p on p.id = n.program
where r.run = (select max(id) from runs) and l.is_innermost and l.first_line is not null
group by f.path, l.first_line
order by 3 desc
limit ?1

--- hot_units
-- The compile units of the last run that are worth a trial of their own.
select u.name, u.directory
from run_units r
join units u on u.id = r.unit
where r.run = (select max(id) from runs) and r.share >= ?1
order by r.share desc
limit ?2

--- last_command
select command
from runs
order by id desc
limit 1

--- has_metrics
select 1
from loop_metrics
limit 1

--- has_cycles
select exists (select 1 from loop_cycles) or not exists (select 1 from loops)

--- has_report
select exists (select 1 from rules) or not exists (select 1 from loops)

--- has_flow
select ifnull(min(has_flow), 1)
from programs

--- processor_named
select 1
from processors
where name = ?1

--- count_problems
select kind, sum(count)
from problems
group by kind
order by kind

--- tables_and_views
select name
from sqlite_schema
where type <> 'index' and name not like 'sqlite_%'

--- columns_of
select name
from pragma_table_info(?1)

--- count_paths
select count(*)
from (select 1 from paths limit 10000)
