-- Views over the tables: the questions everyone asks.  The line above a view is its documentation.
-- The same text serves databases on disk and models in memory.
-- In instructions, the range says nothing new about an instruction and its block.  It is there, with the hint that it
-- is a small one, to take SQLite from blocks to their instructions.

-- Every instruction in full: block, address, mnemonic (name), text, class, element type, bytes, source position
create view instructions as
select i.id as id, b.id as block, e.name as name, b.address + i.offset as address, e.size as size,
       case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as text,
       e.class as class, e.flow as flow, e.element as element, e.is_vector as is_vector,
       e.vector_bits as vector_bits, e.is_scalable as is_scalable, e.is_masked as is_masked,
       e.load_bytes as load_bytes, e.store_bytes as store_bytes, i.target as target,
       substr(b.bytes, i.offset + 1, e.size) as bytes, i.encoding as encoding,
       b.function as function, i.source_line as source_line
  from code i
  join blocks b on b.id = i.block and likelihood(i.id >= b.first_instruction, 0.01)
                   and likelihood(i.id < b.first_instruction + b.instruction_count, 0.01)
  join encodings e on e.id = i.encoding;

-- Source position of every instruction that has one: file, line, column, the function inlined there
create view instruction_sources as
select i.id as instruction, f.path as file, s.line as line, s.column as column, c.name as inlined_function,
       s.inlined_call as inlined_call
  from code i
  join source_lines s on s.id = i.source_line
  left join files f on f.id = s.file
  left join inlined_calls c on c.id = s.inlined_call;

-- Operands of every instruction, with the names of their registers
create view instruction_operands as
select i.id as instruction, o.position as position, o.kind as kind, o.access as access, o.bits as bits,
       r.name as register, b.name as base_register, x.name as index_register, o.scale as scale,
       o.displacement as displacement, o.value as value,
       case when o.is_relative then i.target end as target
  from code i
  join operands o on o.encoding = i.encoding
  left join registers r on r.id = o.register
  left join registers b on b.id = o.base_register
  left join registers x on x.id = o.index_register;

-- Registers that every instruction reads and writes, by name
create view instruction_registers as
select i.id as instruction, r.name as register, f.name as full_register, r.kind as kind, u.access as access,
       u.keeps_rest as keeps_rest, u.is_conditional as is_conditional, u.is_address as is_address
  from code i
  join register_uses u on u.encoding = i.encoding
  join registers r on r.id = u.register
  join registers f on f.id = r.full;

-- Loops with the names of their function and source file
create view loops_by_name as
select l.id as loop, f.name as function, p.path as file, l.first_line as first_line, l.last_line as last_line,
       c.name as inlined_function, l.depth as depth, l.is_innermost as is_innermost,
       l.is_irreducible as is_irreducible, l.block_count as blocks, l.instruction_count as instructions,
       l.path_count as paths, h.address as address
  from loops l
  join functions f on f.id = l.function
  join blocks h on h.id = l.header
  left join files p on p.id = l.file
  left join inlined_calls c on c.id = l.inlined_call;

-- The call graph: each pair of functions once, with the number of call sites
create view call_graph as
select caller, callee, count(*) as sites
  from calls
 where callee is not null
 group by caller, callee;

-- The call graph by name
create view call_graph_by_name as
select a.name as caller, b.name as callee, g.sites as sites
  from call_graph g
  join functions a on a.id = g.caller
  join functions b on b.id = g.callee;

-- Blocks of a loop that an edge from outside leads to
create view loop_entries as
select distinct l.id as loop, e.target as block
  from loops l
  join blocks b on b.function = l.function
  join edges e on e.source = b.id
  join loop_blocks m on m.loop = l.id and m.block = e.target
  left join loop_blocks o on o.loop = l.id and o.block = e.source
 where o.block is null and b.dom_enter > 0;

-- Edges that leave a loop
create view loop_exits as
select m.loop as loop, e.source as source, e.target as target, e.kind as kind
  from loop_blocks m
  join edges e on e.source = m.block
  left join loop_blocks o on o.loop = m.loop and o.block = e.target
 where o.block is null;
