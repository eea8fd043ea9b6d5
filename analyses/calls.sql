-- title: Calls
-- group: structure
-- does: lists the functions that are called from most places; with a function chosen, those that it calls
-- needs: FUNCTION optional
-- parameter: most 30 functions that are shown
-- shows: histogram
select coalesce(f.name, '(unknown, through a pointer)') as callee, count(distinct c.caller) as callers,
       count(*) as sites
  from calls c
  left join functions f on f.id = c.callee
 where FUNCTION is null or c.caller = FUNCTION
 group by c.callee
 order by sites desc, callee
 limit :most;
