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
