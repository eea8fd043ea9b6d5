-- Views over the tables, for common questions.  The line above a view is its documentation.
-- The same text serves databases on disk and models in memory.
-- In instructions, the range condition is redundant.  With its likelihood hint it makes SQLite go from blocks to their
-- instructions.  The name of the predicate is a subquery, so that only queries which want it pay for it.  In live_in,
-- the unary plus keeps SQLite from scanning all blocks of a function for each range when the function is given.

-- Every instruction in full: block, address, mnemonic (name), text, class, element type, bytes, source position; for IA-64 also completers, kind of slot and predicate
create view instructions as
select i.id as id, b.id as block, e.name as name, b.address + i.offset as address, e.size as size,
       case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as text,
       e.class as class, e.flow as flow, e.element as element, e.is_vector as is_vector,
       e.vector_bits as vector_bits, e.is_scalable as is_scalable, e.is_masked as is_masked,
       e.load_bytes as load_bytes, e.store_bytes as store_bytes, i.target as target,
       substr(b.bytes, i.offset + 1, e.size) as bytes, i.encoding as encoding,
       b.function as function, i.source_line as source_line, e.completers as completers, e.slot as slot,
       e.is_unknown as is_unknown, (select p.name from registers p where p.id = e.predicate) as predicate
  from code i
  join blocks b on b.id = i.block and likelihood(i.id >= b.first_instruction, 0.01)
                   and likelihood(i.id < b.first_instruction + b.instruction_count, 0.01)
  join encodings e on e.id = i.encoding;

-- Source position of every instruction that has one: file, line, column, inlined function
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

-- Registers that every instruction writes, by name; full is the row of registers that def_use and live_ranges refer to
create view definitions as
select i.id as instruction, r.name as register, f.name as full_register, r.full as full, r.kind as kind,
       u.keeps_rest as keeps_rest, u.is_conditional as is_conditional
  from code i
  join register_uses u on u.encoding = i.encoding and u.access in ('write', 'both')
  join registers r on r.id = u.register
  join registers f on f.id = r.full;

-- Registers that every instruction reads, by name; full is the row of registers that def_use and live_ranges refer to
create view uses as
select i.id as instruction, r.name as register, f.name as full_register, r.full as full, r.kind as kind,
       u.is_address as is_address
  from code i
  join register_uses u on u.encoding = i.encoding and u.access in ('read', 'both')
  join registers r on r.id = u.register
  join registers f on f.id = r.full;

-- Full registers that are live at the start of each block (full is the row of registers)
create view live_in as
select b.id as block, l.function as function, r.name as register, l.register as full
  from live_ranges l
  join blocks b on b.id >= l.first_block and b.id <= l.last_block and l.function = +b.function
  join registers r on r.id = l.register;

-- Full registers that are live at the end of each block because a later block of the function reads them; registers that only the caller reads are left out
create view live_out as
select distinct e.source as block, l.function as function, r.name as register, l.register as full
  from edges e
  join blocks t on t.id = e.target
  join live_ranges l on l.function = t.function and t.id >= l.first_block and t.id <= l.last_block
  join registers r on r.id = l.register
 where e.kind <> 'tail call';

-- Instructions of listings: file, line and column, the compiler's comments, and for IA-64 the bundle, its template, the position in it (from 0) and the kind of slot
create view listing_code as
select t.instruction as instruction, i.block as block, b.function as function, f.path as file, t.line as line,
       t.column as column, e.name as name, e.completers as completers,
       case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as text,
       t.cycle as cycle, t.number as number, t.latency as latency, t.probability as probability,
       t.is_stop as is_stop, t.comment as comment, u.first_instruction as bundle, u.template as template,
       t.instruction - u.first_instruction as position, e.slot as slot
  from listing_instructions t
  join code i on i.id = t.instruction
  join blocks b on b.id = i.block
  join encodings e on e.id = i.encoding
  left join files f on f.id = t.file
  left join bundles u on u.first_instruction >= t.instruction - 2 and u.first_instruction <= t.instruction
                         and t.instruction < u.first_instruction + u.instruction_count;

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

-- Call graph: each pair of functions once, with the number of call sites
create view call_graph as
select caller, callee, count(*) as sites
  from calls
 where callee is not null
 group by caller, callee;

-- Call graph by name
create view call_graph_by_name as
select a.name as caller, b.name as callee, g.sites as sites
  from call_graph g
  join functions a on a.id = g.caller
  join functions b on b.id = g.callee;

-- Blocks of a loop with an edge from outside the loop
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

-- Place and text of every instruction: file and line of the source if known, else of the listing; listing_line if both are known; the address if there is no listing
create view instruction_places as
select i.id as instruction, case when s.line is null then g.path else f.path end as file,
       coalesce(s.line, t.line) as line, case when s.line is not null then t.line end as listing_line,
       case when t.line is null then b.address + i.offset end as address,
       case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as text
  from code i
  left join encodings e on e.id = i.encoding
  left join source_lines s on s.id = i.source_line
  left join files f on f.id = s.file
  left join listing_instructions t on t.instruction = i.id
  left join files g on g.id = t.file
  left join blocks b on b.id = i.block;

-- Place of every loop: its function and the file, line and address as for its first instruction
create view loop_places as
select l.id as loop, l.function as function, n.name as name, coalesce(f.path, p.file) as file,
       coalesce(l.first_line, p.line) as line, p.listing_line as listing_line, p.address as address
  from loops l
  join functions n on n.id = l.function
  join blocks b on b.id = l.header
  join instruction_places p on p.instruction = b.first_instruction
  left join files f on f.id = l.file;

-- Encodings that set a register to another register (source) plus a constant: additions of constants, copies, addresses without index, and the updates of address registers by loads, stores and prefetches
create view constant_additions as
select e.id as encoding,
       max(case when o.kind = 'register' and o.access in ('write', 'both') then r.full end) as register,
       max(case when o.kind = 'address' then a.full when o.access in ('read', 'both') then r.full end) as source,
       sum(case o.kind when 'immediate' then case e.name when 'sub' then -o.value else o.value end
                       when 'address' then o.displacement else 0 end)
           + case e.name when 'inc' then 1 when 'dec' then -1 else 0 end as constant
  from encodings e
  join operands o on o.encoding = e.id
  left join registers r on r.id = o.register
  left join registers a on a.id = o.base_register
 where e.class in ('add', 'address', 'move') and e.load_bytes = 0 and e.store_bytes = 0 and not e.is_vector
   and e.name not in ('adc', 'sbb', 'neg') and e.name not like 'cmov%'
 group by e.id
having sum(o.kind = 'register' and o.access in ('read', 'both')) + sum(o.kind = 'address' and a.id is not null) = 1
   and sum(o.kind = 'address' and (o.index_register is not null or o.is_relative)) = 0
   and (sum(o.kind in ('immediate', 'address')) = 1 or e.class = 'move' or e.name in ('inc', 'dec'))
   and sum(o.kind = 'register' and (r.kind <> 'general' or r.bits < case e.isa when 'i386' then 32 else 64 end)) = 0
   and sum(o.kind not in ('register', 'immediate', 'address')) = 0
 union all
select e.id, a.full, a.full, sum(case o.kind when 'immediate' then o.value else o.displacement end)
  from encodings e
  join operands m on m.encoding = e.id and m.kind in ('memory', 'address') and m.index_register is null
  join registers a on a.id = m.base_register
  join register_uses u on u.encoding = e.id and u.register = m.base_register and u.is_address and u.access = 'both'
  join operands o on o.encoding = e.id and o.kind in ('immediate', 'memory', 'address')
 where e.class in ('load', 'store', 'prefetch')
   and not exists (select 1
                     from operands x
                    where x.encoding = e.id and x.kind = 'register' and x.access = 'read' and x.position > m.position
                      and e.class <> 'store')
   and not exists (select 1
                     from operands x
                     join registers y on y.id = x.register
                    where x.encoding = e.id and x.kind = 'register' and x.access <> 'read' and y.full = a.full)
 group by e.id, a.full;

-- Trip counts of software-pipelined loops: the value of ar.lc plus one, if ar.lc is set to a constant
create view pipelined_trips as
select p.id as pipelined_loop,
       coalesce((select case when count(distinct o.value) = 1 and count(*) = 1 then min(o.value) + 1 end
                   from def_use d
                  cross join registers r on r.id = d.register and r.name = 'ar.lc'
                  cross join code m on m.id = d.definition
                  cross join operands o on o.encoding = m.encoding and o.kind = 'immediate'
                  where d.use = p.branch and d.definition <> p.branch),
                (select case when count(distinct o.value) = 1 and count(*) = 1 then min(o.value) + 1 end
                   from def_use d
                  cross join registers r on r.id = d.register and r.name = 'ar.lc'
                  cross join code m on m.id = d.definition
                  cross join operands s on s.encoding = m.encoding and s.kind = 'register' and s.access = 'read'
                  cross join def_use v on v.use = m.id and v.register = s.register
                  cross join code w on w.id = v.definition
                  cross join encodings we on we.id = w.encoding and we.class = 'move'
                  cross join operands o on o.encoding = w.encoding and o.kind = 'immediate'
                  where d.use = p.branch and d.definition <> p.branch)) as trips
  from pipelined_loops p;

-- Instructions that met denormal numbers, all phases of a run together: text, mnemonic, name of the function (or the name in denormal_sites), innermost loop, source position, and the counts of denormal_sites; low and high are NULL if every event was counted
create view denormal_instructions as
select s.run as run, s.program as program, s.address as address, s.instruction as instruction, e.name as mnemonic,
       case when i.target is null then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as text,
       s.function as function, coalesce(n.name, s.name) as name, s.loop as loop, f.path as file, l.line as line,
       s.executions as executions, s.operand_events as operand_events, s.underflow_events as underflow_events,
       s.operands as operands, s.results as results, s.births as births, s.ends as ends, s.loads as loads,
       s.stores as stores, s.move_loads as move_loads, s.move_stores as move_stores, s.near as near, s.low as low,
       s.high as high, s.seconds as seconds
  from (select run, program, address, max(instruction) as instruction, max(function) as function, max(loop) as loop,
               max(name) as name, sum(executions) as executions, sum(operand_events) as operand_events,
               sum(underflow_events) as underflow_events, sum(operands) as operands, sum(results) as results,
               sum(births) as births, sum(ends) as ends, sum(loads) as loads, sum(stores) as stores,
               sum(move_loads) as move_loads, sum(move_stores) as move_stores, sum(near) as near,
               case when count(low) then sum(coalesce(low, operand_events + underflow_events)) end as low,
               case when count(high) then sum(coalesce(high, operand_events + underflow_events)) end as high,
               sum(seconds) as seconds
          from denormal_sites
         group by run, program, address) s
  left join code i on i.id = s.instruction
  left join encodings e on e.id = i.encoding
  left join source_lines l on l.id = i.source_line
  left join files f on f.id = l.file
  left join functions n on n.id = s.function;

-- Source lines that met denormal numbers, with sums of the counts of denormal_instructions; if file and line are unknown (NULL), the function says where
create view denormal_lines as
select run, program, file, line, function, name, count(*) as instructions, sum(operand_events) as operand_events,
       sum(underflow_events) as underflow_events, sum(operands) as operands, sum(results) as results,
       sum(births) as births, sum(ends) as ends, sum(loads) as loads, sum(stores) as stores,
       sum(move_loads) as move_loads, sum(move_stores) as move_stores, sum(near) as near, sum(seconds) as seconds
  from denormal_instructions
 group by run, program, file, line, function, name;

-- Functions that met denormal numbers, with sums of the counts of denormal_instructions
create view denormal_functions as
select run, program, function, name, count(*) as instructions, sum(operand_events) as operand_events,
       sum(underflow_events) as underflow_events, sum(operands) as operands, sum(results) as results,
       sum(births) as births, sum(ends) as ends, sum(loads) as loads, sum(stores) as stores,
       sum(move_loads) as move_loads, sum(move_stores) as move_stores, sum(near) as near, sum(seconds) as seconds
  from denormal_instructions
 group by run, program, function, name;

-- Share of executions with a denormal operand by mnemonic, for instructions with known execution counts (tracer)
create view denormal_kinds as
select run, mnemonic, count(*) as instructions, sum(executions) as executions, sum(operand_events) as operand_events,
       sum(operand_events) * 1.0 / sum(executions) as share
  from denormal_instructions
 where executions > 0 and mnemonic is not null
 group by run, mnemonic;

-- Innermost loops that met denormal numbers: place, sums of the counts of denormal_instructions, and the cycles per iteration of the slowest path with its limit, if loop_cycles is filled
create view denormal_loops as
select d.run as run, d.loop as loop, l.function as function, n.name as name, f.path as file,
       l.first_line as first_line, l.last_line as last_line, l.depth as depth, d.instructions as instructions,
       d.operand_events as operand_events, d.underflow_events as underflow_events, d.results as results,
       d.births as births, d.loads as loads, d.stores as stores, d.seconds as seconds,
       (select max(c.cycles) from loop_cycles c where c.loop = d.loop) as cycles,
       (select c."limit" from loop_cycles c where c.loop = d.loop order by c.cycles desc, c.path limit 1) as "limit"
  from (select run, loop, count(*) as instructions, sum(operand_events) as operand_events,
               sum(underflow_events) as underflow_events, sum(results) as results, sum(births) as births,
               sum(loads) as loads, sum(stores) as stores, sum(seconds) as seconds
          from denormal_instructions
         where loop is not null
         group by run, loop) d
  join loops l on l.id = d.loop
  join functions n on n.id = l.function
  left join files f on f.id = l.file;

-- What stands out in runs with probes, a row for each function, loop, call, value and access: kind, NULL for nothing special; ns: time that it concerns, NULL if unknown; count: calls, entries, values or accesses
create view probe_findings as
select f.run as run,
       case when f.bursts * 2 > f.calls and f.mean_ns < max(10, 2 * r.reading_ns) then 'burst function'
            when f.bursts * 2 > f.calls then 'uneven function'
            when f.calls >= 1000 and f.mean_ns < max(10, 2 * r.reading_ns) then 'tiny function'
            when f.calls >= 10 and f.deviation_ns >= 2 * f.mean_ns and f.max_ns >= 10 * f.median_ns then 'uneven function'
            else 'function' end as kind,
       f.function as function, null as loop, null as instruction, null as value, f.self_ns as ns, f.calls as count
  from probe_functions f
  join probe_runs r on r.id = f.run
 union all
select l.run,
       case when l.entries < 10 or l.cycles_per_iteration >= 1000 then 'loop'
            when l.min_iterations = l.max_iterations and l.max_iterations <= 16 then 'short constant loop'
            when l.min_iterations = l.max_iterations then 'constant loop'
            when l.usual_share >= 0.9 then 'usual loop'
            when t.loop is not null then 'bimodal loop'
            when l.iterations < 8 * l.entries then 'short loop'
            when l.setup_cycles >= 0.25 * l.cycles_per_entry then 'set-up loop'
            else 'loop' end,
       (select p.function from loops p where p.id = l.loop), l.loop, null, null, l.total_ns, l.entries
  from probe_loops l
  left join (select h.run as run, h.subject as loop
               from probe_histograms h
               join probe_loops a on a.run = h.run and a.loop = h.subject
              where h.quantity = 'iterations' and h.count * 5 >= a.entries
              group by h.run, h.subject
             having count(*) = 2 and sum(h.count) >= 0.9 * min(a.entries) and max(h.low) >= 2 * min(h.high)) t
         on t.run = l.run and t.loop = l.loop
 union all
select c.run,
       case when c.calls >= 10 and c.deviation_ns >= 2 * c.mean_ns and c.max_ns >= 10 * c.median_ns then 'uneven call'
            else 'call' end,
       c.caller, null, c.instruction, null, c.total_ns, c.calls
  from probe_calls c
 union all
select v.run,
       case when v.count < 2 or v.mean is null then null
            when v.distinct_count <= 4 and v.kind in ('register', 'variable') and exists
                 (select 1
                    from instruction_places i
                    join code c on c.id = i.instruction
                    join loops l on l.function = v.function and i.line between l.first_line and l.last_line
                    join files s on s.id = l.file and s.path = i.file
                   where i.instruction = v.instruction
                     and not exists (select 1 from loop_blocks b where b.loop = l.id and b.block = c.block)) then 'entry value'
            when v.kind = 'variable' and exists
                 (select 1
                    from variables d
                    join files s on s.id = d.file
                    join instruction_places i on i.line = d.line and i.file = s.path
                    join code c on c.id = i.instruction
                    join blocks k on k.id = c.block
                   where d.id = v.variable and d.kind = 'local' and i.instruction = v.instruction and k.loop is null
                     and not exists (select 1 from code e join source_lines t on t.id = e.source_line
                                      where e.block = c.block and e.id < c.id and t.line = d.line)) then 'unset value'
            when v.distinct_count = 1 then 'one value'
            when q.share >= 0.9 then 'usual value'
            when v.distinct_count <= 4 then 'few values' end,
       v.function, null, v.instruction, v.id,
       case v.kind when 'parameter' then (select f.total_ns from probe_functions f where f.run = v.run and f.function = v.function)
                   when 'argument' then (select c.total_ns from probe_calls c where c.run = v.run and c.instruction = v.instruction) end,
       v.count
  from probe_values v
  left join probe_frequent q on q.value = v.id and q.position = 1
 union all
select a.run,
       case when a.aliases * 20 >= a.count
                 and (select e.isa from code c join encodings e on e.id = c.encoding where c.id = a.instruction) in ('x86-64', 'i386')
                 then 'aliasing access'
            when a.line_splits * 20 >= a.count then 'split access'
            when a.count >= 100 and a.minimum = a.maximum then 'fixed access'
            when a.lines >= 64 and a.sets <= 8 then 'conflicting access'
            when abs(a.stride) >= 2 * a.bytes and a.stride_share >= 0.5
                 and not (select e.is_scalable from code c join encodings e on e.id = c.encoding where c.id = a.instruction)
                 then 'sparse access' end,
       (select p.function from loops p where p.id = a.loop), a.loop, a.instruction, null,
       (select l.total_ns from probe_loops l where l.run = a.run and l.loop = a.loop), a.count
  from probe_addresses a;

-- Time of sampled runs by source line and function; share: of the run's processor time
create view run_lines as
select p.run as run, f.path as file, s.line as line, s.function as function, n.name as name, sum(s.count) as samples,
       sum(s.seconds) as seconds, sum(s.seconds) / (select nullif(r.sampled_seconds, 0) from runs r where r.id = p.run) as share
  from samples s
  join run_threads t on t.id = s.thread
  join run_processes p on p.id = t.process
  left join functions n on n.id = s.function
  left join files f on f.id = s.source
 where s.line is not null
 group by p.run, s.source, s.line, s.function;

-- Time of sampled runs by inlined call: the function whose code it is in (function), what was inlined (name) into what (caller), where it was called, time in its own code, and with what was inlined into it
create view run_inlined as
with recursive own as materialized (
    select p.run as run, s.inlined_call as inlined, sum(s.count) as samples, sum(s.seconds) as seconds
      from samples s
      join run_threads t on t.id = s.thread
      join run_processes p on p.id = t.process
     where s.inlined_call is not null
     group by p.run, s.inlined_call),
around(run, inlined, at, samples, seconds) as (
    select run, inlined, inlined, samples, seconds from own
     union all
    select a.run, a.inlined, c.parent, a.samples, a.seconds
      from around a
     cross join inlined_calls c on c.id = a.at
     where c.parent is not null and c.parent < c.id)
select a.run as run, c.id as inlined_call, c.function as function, c.name as name,
       coalesce((select o.name from inlined_calls o where o.id = c.parent),
                (select n.name from functions n where n.id = c.function)) as caller,
       (select f.path from files f where f.id = c.call_file) as call_file, c.call_line as call_line,
       sum(case when a.at = a.inlined then a.samples else 0 end) as samples,
       total(case when a.at = a.inlined then a.seconds end) as self_seconds, sum(a.seconds) as total_seconds,
       sum(a.seconds) / (select nullif(r.sampled_seconds, 0) from runs r where r.id = a.run) as total_share
  from around a
 cross join inlined_calls c on c.id = a.at
 group by a.run, c.id;

-- How unevenly ranks, and threads of a process, computed in sampled runs: processor time without MPI calls and without waiting for other threads; imbalance: the longest over the mean; slowest: its rank, or thread ID. Threads that ran less than 5 % as long as the busiest one of the process are left out
create view run_imbalance as
with ranks as materialized (
    select run, rank, sum(cpu_seconds - mpi_seconds) as seconds
      from run_processes
     where rank is not null
     group by run, rank),
threads as materialized (
    select p.run as run, p.id as process, t.thread as thread,
           t.cpu_seconds - t.mpi_seconds - t.parallel_wait_seconds as seconds,
           max(t.cpu_seconds) over (partition by p.id) as most, t.cpu_seconds as cpu
      from run_threads t
      join run_processes p on p.id = t.process)
select run, 'ranks' as kind, null as process, count(*) as count, avg(seconds) as mean_seconds,
       max(seconds) as max_seconds, max(seconds) / nullif(avg(seconds), 0) as imbalance, rank as slowest
  from ranks
 group by run
having count(*) > 1
 union all
select run, 'threads', process, count(*), avg(seconds), max(seconds), max(seconds) / nullif(avg(seconds), 0), thread
  from threads
 where cpu >= 0.05 * most and cpu > 0
 group by run, process
having count(*) > 1;
