-- What graphs of the tables are made of.
-- functions: demangle place

--- load_edges
select caller, callee, count(*)
from calls
where caller is not null
group by caller, callee
order by caller, callee

--- add_functions
select id, name, origin
from functions
order by id

--- find_highest
select coalesce(max(id), 0), count(*)
from functions

--- call_table_read
select caller, callee, kind_code
from calls
where caller is not null

--- read_names
select name, origin = 'import', instruction_count
from functions
where id = ?1

--- new_graph
select name
from functions
where id = ?1

--- add_loops
select l.id, l.parent, l.header, l.depth, l.is_irreducible, f.path, l.first_line, l.last_line
from loops l
left join files f on f.id = l.file
where l.function = ?1
order by l.id

--- add_blocks
select id, position, address, instruction_count, is_reachable, loop, first_instruction, dominator
from blocks
where function = ?1
order by id

--- graph_read_instructions
select case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end
from code i
join encodings e on e.id = i.encoding
where i.block = ?1 and i.id between ?2 and ?3
order by i.id

--- add_edges
select e.source, e.target, e.kind, t.function, f.name
from blocks b
join edges e on e.source = b.id
left join blocks t on t.id = e.target
left join functions f on f.id = t.function
where b.function = ?1

--- loop_cycles
select l.id,
    coalesce(sum(c.cycles * c.share) / nullif(sum(case when c.cycles is not null then c.share end), 0), max(c.cycles))
from loops l
join loop_cycles c on c.loop = l.id
where l.function = ?1
group by l.id

--- loop_shares
select l.id, r.total_share
from loops l
join run_loops r on r.loop = l.id and r.run = (select max(id) from runs)
where l.function = ?1 and r.total_share is not null

--- block_shares
select c.block, sum(s.seconds) / (select sampled_seconds from runs order by id desc limit 1)
from samples s
join code c on c.id = s.instruction
where s.function = ?1
group by 1

--- loop_counts
select id, loop_count
from functions
where loop_count > 0

--- run_shares
select function, self_share, total_share
from run_functions
where function is not null and run = (select max(id) from runs)

--- count_runs
select count(*)
from runs
where ?1
