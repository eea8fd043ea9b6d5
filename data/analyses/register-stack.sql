-- title: Saturated register stack
-- group: registers
-- does: lists the functions whose alloc takes nearly all of the 96 stacked registers
-- needs: FUNCTION optional
-- parameter: least 96 stacked registers
-- isa: ia64
with sizes as materialized (
    select o.encoding as encoding, o.value as value,
           row_number() over (partition by o.encoding order by o.position) as place
      from operands o
     cross join encodings e on e.id = o.encoding
     where e.isa = 'ia64' and e.name = 'alloc' and o.kind = 'immediate'),
allocs as materialized (
    select encoding, sum(value * (place = 1)) as inputs, sum(value * (place = 2)) as locals,
           sum(value * (place = 3)) as outputs, sum(value * (place = 4)) as rotating
      from sizes
     group by encoding
    having sum(value * (place <= 3)) >= :least)
select n.name as function, a.inputs as inputs, a.locals as locals, a.outputs as outputs, a.rotating as rotating,
       a.inputs + a.locals + a.outputs as stacked, 32 + a.inputs + a.locals + a.outputs as registers,
       e.text as text, p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       n.id as function_id,
       b.id as block_id, i.id as instruction_id
  from allocs a
 cross join code i on i.encoding = a.encoding
 cross join encodings e on e.id = a.encoding
 cross join blocks b on b.id = i.block
 cross join functions n on n.id = b.function
 cross join instruction_places p on p.instruction = i.id
 where FUNCTION is null or b.function = FUNCTION
 order by stacked desc, i.id;
