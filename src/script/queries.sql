-- Where a row is, for people.

--- function_place
select coalesce(p.path || ':' || f.line, printf('0x%x', f.address), f.name)
from functions f
left join files p on p.id = f.file
where f.id = ?1

--- loop_place
select coalesce(file || ':' || line, printf('0x%x', address))
from loop_places
where loop = ?1

--- block_place
select coalesce(p.file || ':' || p.line, printf('0x%x', p.address))
from blocks b
join instruction_places p on p.instruction = b.first_instruction
where b.id = ?1

--- instruction_place
select coalesce(file || ':' || line, printf('0x%x', address))
from instruction_places
where instruction = ?1
