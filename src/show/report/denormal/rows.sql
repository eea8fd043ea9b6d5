-- Rows of a run, for programs: the keys of the JSON, in this order.  ?1 is the run.  Rows refer to each other by id as in the database
-- (phase, array, birth, chain, stack).
-- functions: shown_name

--- limits
select position, kind, "count", text
from denormal_limits
where run = ?1
order by position

--- phases
select id as phase, position, name, start, seconds
from denormal_phases
where run = ?1
order by position

--- sites
select phase, program, address, instruction,
    shown_name(coalesce((select n.name from functions n where n.id = s.function), name)) as function, loop,
    executions, operand_events, underflow_events, operands, results, births, ends, loads, stores, move_loads,
    move_stores, near, low, high, seconds
from denormal_sites s
where run = ?1
order by phase, program, address

--- instructions
select program, address, instruction, mnemonic, text, shown_name(name) as function, loop, file, line, executions,
    operand_events, underflow_events, operands, results, births, ends, loads, stores, move_loads, move_stores, near,
    low, high, seconds
from denormal_instructions
where run = ?1
order by operand_events + underflow_events desc, results desc, loads + stores + move_loads + move_stores desc,
    program, address

--- lines
select file, line, shown_name(name) as function, instructions, operand_events, underflow_events, operands, results,
    births, ends, loads, stores, move_loads, move_stores, near, seconds
from denormal_lines
where run = ?1
order by operand_events + underflow_events desc, results desc, file, line, name

--- functions
select shown_name(name) as function, instructions, operand_events, underflow_events, operands, results, births, ends,
    loads, stores, move_loads, move_stores, near, seconds
from denormal_functions
where run = ?1
order by operand_events + underflow_events desc, results desc, name

--- kinds
select mnemonic, instructions, executions, operand_events, share
from denormal_kinds
where run = ?1
order by operand_events desc, mnemonic

--- arrays
select id as array, name, kind, variable,
    shown_name((select n.name from functions n where n.id = a.function)) as function, element, element_bytes,
    dimensions, is_assumed, address, bytes, lives, stack, loads, stores, move_loads, move_stores, integer_loads,
    integer_stores
from denormal_arrays a
where run = ?1
order by loads + stores + move_loads + move_stores desc, id

--- array_phases
select p.array, p.phase, p.loads, p.stores, p.move_loads, p.move_stores
from denormal_array_phases p
join denormal_arrays a on a.id = p.array
where a.run = ?1
order by p.array, p.phase

--- maps
select m.array, m.phase, m.kind, m.source, m.slice, m.width, m.height, m.shrink, m.largest
from denormal_maps m
join denormal_arrays a on a.id = m.array
where a.run = ?1
order by m.array, m.phase, m.kind, m.source, m.slice

--- origins
select o.destination, d.name as destination_name, o.source, s.name as source_name, o.count
from denormal_origins o
left join denormal_arrays d on d.id = o.destination
left join denormal_arrays s on s.id = o.source
where o.run = ?1
order by o.count desc, o.destination, o.source

--- births
select b.id as birth, b.program, b.address, b.instruction,
    shown_name((select n.name from functions n where n.id = b.function)) as function, f.path as file, l.line, b.stack,
    b.array, b."values" as "values", b.descendants, b.removable
from denormal_births b
left join code i on i.id = b.instruction
left join source_lines l on l.id = i.source_line
left join files f on f.id = l.file
where b.run = ?1
order by b.removable desc, b."values" desc, b.id

--- chains
select id as chain, birth, "values", share
from denormal_chains
where run = ?1
order by share desc, id

--- chain_steps
select t.chain, t.position, t.array, (select a.name from denormal_arrays a where a.id = t.array) as name, t.source,
    t.count
from denormal_chain_steps t
join denormal_chains c on c.id = t.chain
where c.run = ?1
order by t.chain, t.position

--- samples
select phase, program, address, instruction, event, operand, lane, value, data_address, place, stack, thread
from denormal_samples
where run = ?1
order by id

--- frames
select r.stack, r.position, r.program, r.address,
    shown_name(coalesce(r.name, (select n.name from functions n where n.id = r.function))) as function,
    (select f.path from files f where f.id = r.file) as file, r.line
from denormal_frames r
where r.stack in (select stack from denormal_births where run = ?1 union select stack from denormal_arrays where run =
        ?1 union select stack from denormal_samples where run = ?1)
order by r.stack, r.position

--- penalties
select text as operation, normal_seconds, denormal_seconds
from denormal_penalties
where run = ?1
order by text
