-- title: Calls
-- group: structure
-- does: lists the functions with the most call sites; with a function selected, its callees
-- needs: FUNCTION optional
-- parameter: most 30 number of functions to show
-- shows: histogram
select coalesce(f.name, '(unknown, through a pointer)') as callee, count(distinct c.caller) as callers,
       count(*) as sites
  from calls c
  left join functions f on f.id = c.callee
 where FUNCTION is null or c.caller = FUNCTION
 group by c.callee
 order by sites desc, callee
 limit :most;
