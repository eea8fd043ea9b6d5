-- What the shell's own commands ask.

--- tables
-- Without internal ones.
select name
from sqlite_schema
where type in ('table', 'view') and name not like 'sqlite\_%' escape '\'
order by name

--- statement_of
select sql || ';'
from sqlite_schema
where name = ?1 and sql is not null

--- functions_named
select id
from functions
where name = ?1
order by address is null, id

--- places_named
select id, printf('at 0x%x', address)
from functions
where name = ?1

--- columns_of
select name
from pragma_table_xinfo(?1)

--- names_of_tables
select name, type = 'table'
from sqlite_schema
where type in ('table', 'view') and name not like 'sqlite\_%' escape '\'
