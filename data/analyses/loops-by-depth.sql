-- title: Loops by depth
-- group: structure
-- does: counts the loops of each nesting depth, and how many of them are innermost or irreducible
-- needs: FUNCTION optional
-- shows: histogram
select depth, sum(is_innermost) as innermost, sum(is_irreducible) as irreducible,
       round(avg(instruction_count), 1) as mean_instructions, count(*) as loops
  from loops
 where FUNCTION is null or function = FUNCTION
 group by depth
 order by depth;
