-- title: Addresses computed in floating-point registers
-- group: patterns
-- does: finds addresses that are multiplied in floating-point or vector registers (setf, xma, getf) on their way to a load or store
-- needs: FUNCTION optional
-- parameter: steps 4 most instructions between getf and the access
-- A general register receives the result of a multiplication from a floating-point register (getf), and after some integer
-- arithmetic the value is part of an address.  setf shows the input if it came from a general register.  If setf is empty, the
-- inputs were already floats: a table lookup by floating-point arithmetic, as in sin and exp, which is intended.
with recursive
into_general as materialized (
    select u.encoding as encoding
      from register_uses u
     cross join registers r on r.id = u.register
     cross join encodings e on e.id = u.encoding
     where e.load_bytes = 0 and e.store_bytes = 0 and e.class in ('move', 'convert', 'shuffle')
     group by u.encoding
    having sum(r.kind = 'general' and u.access in ('write', 'both')) and sum(r.kind = 'vector' and u.access = 'read')),
into_vector as materialized (
    select u.encoding as encoding
      from register_uses u
     cross join registers r on r.id = u.register
     cross join encodings e on e.id = u.encoding
     where e.load_bytes = 0 and e.store_bytes = 0 and e.class in ('move', 'convert', 'shuffle')
     group by u.encoding
    having sum(r.kind = 'vector' and u.access in ('write', 'both')) and sum(r.kind = 'general' and u.access = 'read')),
integers as materialized (
    select e.id as id
      from encodings e
     where e.class in ('add', 'address', 'move', 'shift', 'logic') and e.load_bytes = 0 and e.store_bytes = 0
       and not exists (select 1
                         from register_uses u
                        cross join registers r on r.id = u.register
                        where u.encoding = e.id and r.kind = 'vector')
       and not (e.name in ('xor', 'sub') and (select count(distinct o.register) = 1 and count(*) > 1 from operands o
                                               where o.encoding = e.id and o.kind = 'register'))),
multiplications as materialized (
    select id from encodings where class in ('multiply', 'fma')),
found as materialized (
    select g.id as getf, b.id as block, d.definition as multiplication
      from blocks b
     cross join code g on g.id >= b.first_instruction and g.id < b.first_instruction + b.instruction_count
     cross join def_use d on d.use = g.id
     cross join code m on m.id = d.definition
     where b.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18)
       and g.encoding in into_general and m.encoding in multiplications
       and not exists (select 1
                         from def_use x
                        where x.use = g.id and x.register = d.register and x.definition < g.id
                          and x.definition >= b.first_instruction and (x.definition > m.id or m.id > g.id))),
forward as materialized (
    select d.definition as definition, d.use as use, d.register as register
      from (select min(a.first_instruction) as first, max(a.first_instruction + a.instruction_count) as last
              from (select distinct b.function as function from found f cross join blocks b on b.id = f.block) n
             cross join blocks a on a.function = n.function
             group by n.function) n
     cross join def_use d on d.use between n.first and n.last
     cross join registers g on g.id = d.register and g.kind = 'general'),
reached (getf, instruction, steps) as (
    select getf, getf, 0 from found
     union
    select r.getf, d.use, r.steps + 1
      from reached r
     cross join forward d on d.definition = r.instruction
     cross join code u on u.id = d.use
     where r.steps < :steps and u.encoding in integers),
accesses as materialized (
    select r.getf as getf, min(d.use) as access
      from reached r
     cross join forward d on d.definition = r.instruction
     cross join code u on u.id = d.use
     cross join encodings e on e.id = u.encoding
     cross join register_uses a on a.encoding = u.encoding and a.is_address
     cross join registers n on n.id = a.register and n.full = d.register
     where e.load_bytes > 0 or e.store_bytes > 0 or e.class = 'prefetch'
     group by r.getf)
select n.name as function, b.loop as loop,
       (select group_concat(distinct se.text)
          from def_use sd
         cross join code s on s.id = sd.definition
         cross join encodings se on se.id = s.encoding
         where sd.use = f.multiplication and s.encoding in into_vector) as setf,
       o.text as multiplication, p.text as getf, q.text as access, p.file as file, p.line as line,
       p.listing_line as listing_line, p.address as address, q.line as access_line, q.address as access_address,
       n.id as function_id, b.id as block_id,
       f.getf as instruction_id
  from found f
 cross join accesses a on a.getf = f.getf
 cross join blocks b on b.id = f.block
 cross join functions n on n.id = b.function
 cross join instruction_places o on o.instruction = f.multiplication
 cross join instruction_places p on p.instruction = f.getf
 cross join instruction_places q on q.instruction = a.access
 order by f.getf, f.multiplication;
