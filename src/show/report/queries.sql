-- Questions of single views.
-- functions: demangle place gap shown_name

--- listing_lines_open
select text, size, first_line, line_count
from listings
where program = ?1 and file = ?2 and first_line <= ?3 and first_line + line_count > ?3
limit 1

--- asm_function_blocks
select b.id, 0, b.address
from blocks b
where b.function = ?1
order by b.address

--- asm_loop_blocks
select b.id, 0, b.address
from loop_blocks m
join blocks b on b.id = m.block
where m.loop = ?1
order by b.address

--- asm_block_blocks
select b.id, 0, b.address
from blocks b
where b.id = ?1

--- asm_section_blocks
select id, 0, address as place
from blocks
where section = ?1
union all
select id, 1, address
from gaps
where section = ?1
order by place

--- asm_block
select b.address, b.size, b.function, b.first_instruction, b.last_instruction, b.bytes, s.program, b.position, b.loop
from blocks b
left join sections s on s.id = b.section
where b.id = ?1

--- asm_gap
select address, size, null, 0, 0, bytes
from gaps
where id = ?1

--- asm_instruction
select i.offset, e.size, e.text, i.target, i.source_line, i.id
from code i
join encodings e on e.id = i.encoding
where i.block = ?1 and i.id between ?2 and ?3
order by i.id

--- asm_line
-- The line, unless a neighbour comes from the same statement.
select l.file, l.line, l.column,
    exists (select * from listing_instructions n where n.instruction in (?1 - 1, ?1 + 1) and n.file = l.file and
        n.line = l.line and n.column = l.column)
from listing_instructions l
where l.instruction = ?1

--- asm_source
select f.path, s.line, c.name
from source_lines s
left join files f on f.id = s.file
left join inlined_calls c on c.id = s.inlined_call
where s.id = ?1

--- asm_function
select f.name, f.address, f.size, p.path, f.line
from functions f
left join files p on p.id = f.file
where f.id = ?1

--- asm_loop
select l.header, l.depth, l.is_innermost, l.is_irreducible, f.path, l.first_line, l.last_line
from loops l
left join files f on f.id = l.file
where l.id = ?1

--- asm_section
select address, size
from sections
where id = ?1

--- listing
select text, size
from listings
where program = ?1
order by id
