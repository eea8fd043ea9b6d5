-- title: No-ops of functions
-- group: statistics
-- does: counts the no-ops of each function and their share of the code, and of executed instructions (executed_percent) if the compiler states frequencies
-- needs: FUNCTION optional
-- parameter: most 20 number of functions to show
-- Padding after a function does not belong to it, and costs nothing.
with noops as (
    select id from encodings where class = 'nop'),
counted as (
    select b.function as function, b.instruction_count as instructions, sum(i.encoding in noops) as noops,
           (select max(c.frequency) from compiler_blocks c where c.block = b.id) as frequency
      from blocks b
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     where b.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18)
     group by b.function, b.id)
select f.name as function, sum(c.noops) as noops, f.instruction_count as instructions,
       round(100.0 * sum(c.noops) / max(f.instruction_count, 1), 1) as percent,
       round(100.0 * sum(c.noops * c.frequency) / sum(c.instructions * c.frequency), 1) as executed_percent,
       s.path as file, f.line as line, f.id as function_id
  from counted c
 cross join functions f on f.id = c.function
  left join files s on s.id = f.file
 group by f.id
having sum(c.noops) > 0
 order by noops desc, function, f.id
 limit :most;
