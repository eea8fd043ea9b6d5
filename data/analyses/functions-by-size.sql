-- title: Functions by size
-- group: structure
-- does: lists the largest functions with their blocks and loops
-- needs: FUNCTION optional
-- parameter: most 30 number of functions to show
-- shows: histogram
select name as function, size as bytes, block_count as blocks, loop_count as loops, id as function_id,
       instruction_count as instructions
  from functions
 where address is not null and (FUNCTION is null or id = FUNCTION)
 order by instructions desc, name, id
 limit :most;
