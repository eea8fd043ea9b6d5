-- What this room asks of the tables itself, and findings, which it writes.

--- instruction_sets
select distinct isa
from programs

--- has_lines
select 1
from source_lines
where line is not null
limit 1

--- has_frequencies
select 1
from compiler_blocks
where frequency is not null
limit 1

--- has_probes
select 1
from probe_runs
limit 1

--- has_runs
select 1
from runs
limit 1

--- add_finding
insert into findings (analysis, function, loop, block, instruction, file, line, text)
select ?1, coalesce(?2, b.function, l.function), coalesce(?3, b.loop), b.id, ?5, ?6, ?7, ?8
from (select 1)
left join blocks b on b.id = coalesce(?4, (select block from code where id = ?5))
left join loops l on l.id = ?3

--- delete_findings
delete from findings
where analysis = ?1 and (?2 is null or function = ?2)
        and (?3 is null or loop in (select l.id from loop_blocks m join loops l on l.header = m.block where m.loop = ?3))
        and (?4 is null or block = ?4)
        and (?5 is null or function in (select id from functions where program = ?5))

--- functions_named
select min(id), count(*)
from functions
where name = ?1

--- kinds_of_encodings
select min(id)
from encodings
group by isa_code, class_code, element_code, vector_bits, is_scalable
