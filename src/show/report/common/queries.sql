-- What all views ask: names of places and of files.

--- relocation_symbols
select r.program, r.address, r.addend, p.isa <> 'aarch64', r.symbol
from relocations r
join programs p on p.id = r.program
where p.format in ('object', 'listing') and r.symbol is not null

--- place_names
select program, address, size, name, 0
from functions
where address is not null and size > 0
union all
select program, address, size, name, 1
from sections
where is_loaded and size > 0

--- file_paths
select path
from files
where path is not null

--- shared_objects
select id, path
from programs
where format = 'shared object' and path is not null
order by id
