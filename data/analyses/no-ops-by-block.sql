-- title: No-ops of blocks
-- group: statistics
-- does: lists the blocks with the most no-ops, the most frequent first if the compiler states frequencies
-- needs: FUNCTION optional
-- parameter: percent 20 the smallest share of no-ops
-- parameter: most 40 number of blocks to show
with noops as (
    select id from encodings where class = 'nop'),
counted as (
    select b.id as block, sum(i.encoding in noops) as noops,
           (select max(c.frequency) from compiler_blocks c where c.block = b.id) as frequency
      from blocks b
     cross join code i on i.id >= b.first_instruction and i.id < b.first_instruction + b.instruction_count
     where b.function between coalesce(FUNCTION, 1) and coalesce(FUNCTION, 9e18)
     group by b.function, b.id
    having sum(i.encoding in noops) * 100 >= :percent * b.instruction_count and sum(i.encoding in noops) > 0
     order by sum(i.encoding in noops) * coalesce(frequency, 1) desc, b.id
     limit :most)
select f.name as function, 'B' || b.position as block, c.noops as noops, b.instruction_count as instructions,
       round(100.0 * c.noops / b.instruction_count, 1) as percent, c.frequency as frequency, b.loop as loop,
       p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       f.id as function_id, b.id as block_id
  from counted c
 cross join blocks b on b.id = c.block
 cross join functions f on f.id = b.function
 cross join instruction_places p on p.instruction = b.first_instruction
 order by c.noops * coalesce(c.frequency, 1) desc, b.id;
