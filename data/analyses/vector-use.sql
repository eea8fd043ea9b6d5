-- title: Vector use
-- group: statistics
-- does: counts arithmetic by element type and by scalar or vector length, including masked instructions
-- needs: FUNCTION optional
-- shows: histogram
with counted as (
    select id as encoding, uses as number
      from encodings
     where FUNCTION is null
     union all
    select i.encoding, count(*)
      from blocks b
      join code i on i.id between b.first_instruction and b.last_instruction
     where b.function = FUNCTION
     group by i.encoding)
select e.element as element,
       case when not e.is_vector then 'scalar'
            when e.is_scalable then 'scalable'
            else e.vector_bits || ' bits' end as length,
       sum(c.number * e.is_masked) as masked, sum(c.number) as instructions
  from counted c
  join encodings e on e.id = c.encoding
 where e.class in ('add', 'multiply', 'fma', 'divide', 'sqrt', 'estimate', 'minmax', 'compare', 'convert', 'math')
 group by e.element, length
 order by instructions desc, element, length;
