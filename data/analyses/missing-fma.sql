-- title: Missing fused multiply-add
-- group: patterns
-- does: finds floating-point multiplications whose only use is an addition or subtraction: one fused instruction could do both
-- needs: FUNCTION optional
-- parameter: most 100 number of places to show, inner loops first
-- A definition that another one in the block of the use overwrites does not count, even if that one leaves the upper part
-- of the register alone, as scalar instructions of x86 do.
-- A return may use more registers than the one with the result (structures of numbers); that does not count either, nor does
-- a return after the loop of the multiplication: the value in the result register is assumed to be left over.
-- Of two products that are added to each other only one can be fused; the later one is shown.
-- fma_in_program shows whether the program uses fused instructions somewhere.  If not, it was compiled for processors without them
-- (x86-64: use -mfma or -march=x86-64-v3), or with contraction off (-ffp-contract=off).
with multiplications as materialized (
    select id from encodings
     where class = 'multiply' and (element in ('fp16', 'bf16', 'fp32', 'fp64') or (element = 'x87' and isa = 'ia64'))),
additions as materialized (
    select id from encodings
     where class = 'add' and element in ('fp16', 'bf16', 'fp32', 'fp64', 'x87')
       and (name in ('fadd', 'fsub', 'fsubr', 'addsubpd', 'addsubps', 'vaddsubpd', 'vaddsubps')
            or name like 'add__' or name like 'sub__' or name like 'vadd__' or name like 'vsub__')),
fused as materialized (
    select distinct isa from encodings where class = 'fma' and element in ('fp16', 'bf16', 'fp32', 'fp64', 'x87')),
always as materialized (
    select id from encodings where predicate is null),
returns as materialized (
    select id from encodings where class = 'return'),
results as materialized (
    select id from registers where name in ('zmm0', 'ymm0', 'xmm0', 'z0', 'v0', 'f8')),
candidates as materialized (
    select distinct d.definition as multiplication
      from blocks b
     cross join code a on a.id >= b.first_instruction and a.id < b.first_instruction + b.instruction_count
     cross join def_use d on d.use = a.id
     cross join code m on m.id = d.definition
     where b.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18) and a.encoding in additions
       and m.encoding in multiplications),
found as materialized (
    select m.id as multiplication, m.block as block, min(d.use) as addition, min(d.register) as register
      from def_use d
     cross join code m on m.id = d.definition
     cross join code u on u.id = d.use
     cross join blocks ub on ub.id = u.block
     where d.definition in candidates
       and d.use between coalesce((select min(first_instruction) from blocks where function = FUNCTION), 1)
                     and coalesce((select max(first_instruction + instruction_count) from blocks where function = FUNCTION), 9e18)
       and not (u.encoding in returns
                and (d.register not in results
                     or exists (select 1
                                  from blocks mb
                                 cross join loop_blocks ml on ml.loop = mb.loop
                                 where mb.id = m.block and not exists (select 1
                                                                         from loop_blocks ul
                                                                        where ul.loop = mb.loop and ul.block = u.block))))
       and not exists (select 1
                         from def_use x
                        cross join code o on o.id = x.definition
                        where x.use = d.use and x.register = d.register and x.definition < d.use
                          and x.definition >= ub.first_instruction and o.encoding in always
                          and (x.definition > m.id or m.id >= d.use))
     group by m.id
    having count(*) = 1),
fusible as materialized (
    select f.addition as addition, f.block as block, max(f.multiplication) as multiplication
      from found f
     cross join code a on a.id = f.addition
     cross join code m on m.id = f.multiplication
     cross join encodings me on me.id = m.encoding
     cross join encodings ae on ae.id = a.encoding
     where a.encoding in additions and me.element = ae.element and me.vector_bits = ae.vector_bits
       and ((a.block = f.block and f.addition > f.multiplication and m.encoding in always)
            or not exists (select 1
                             from def_use o
                            where o.use = f.addition and o.register = f.register
                              and (o.definition <> f.multiplication or o.is_entry_too)))
     group by f.addition)
select n.name as function, b.loop as loop, l.depth as depth, p.text as multiplication, q.text as addition,
       case when me.isa in fused then 'yes' else 'no' end as fma_in_program, p.file as file, p.line as line,
       p.listing_line as listing_line, p.address as address, q.line as addition_line, q.address as addition_address,
       n.id as function_id, b.id as block_id, f.multiplication as instruction_id
  from fusible f
 cross join code m on m.id = f.multiplication
 cross join encodings me on me.id = m.encoding
 cross join blocks b on b.id = f.block
 cross join functions n on n.id = b.function
  left join loops l on l.id = b.loop
 cross join instruction_places p on p.instruction = f.multiplication
 cross join instruction_places q on q.instruction = f.addition
 order by coalesce(l.depth, 0) desc, f.multiplication
 limit :most;
