-- title: Callers by time
-- group: runs
-- does: lists who called a function in a sampled run, and how much time was spent below each caller; without a function, the calls that took the most
-- needs: FUNCTION optional
-- parameter: run 0 the run (0: all)
-- parameter: most 30 number of callers to show
-- from: samples
-- Calls below one sample in a thousand are not in the table run_calls.  Recursion counts once.
with recursive above(call, ancestor) as (
    select id, caller from run_calls where caller is not null
     union all
    select a.call, c.caller from above a cross join run_calls c on c.id = a.ancestor where c.caller is not null),
made as materialized (
    select k.id as id, k.run as run, k.function as callee, k.name as callee_name, c.function as caller, c.name as caller_name,
           k.total_seconds as seconds
      from run_calls k
      left join run_calls c on c.id = k.caller
     where :run in (0, k.run) and (FUNCTION is null or k.function = FUNCTION))
select coalesce(n.name, m.callee_name) as function, coalesce(o.name, m.caller_name, '(nothing: stacks begin here)') as caller,
       round(sum(m.seconds), 3) as seconds, round(100 * sum(m.seconds) / r.sampled_seconds, 1) as percent, m.run as run,
       m.callee as function_id
  from made m
  join runs r on r.id = m.run
  left join functions n on n.id = m.callee
  left join functions o on o.id = m.caller
 where not exists (select 1 from above a cross join made e on e.id = a.ancestor
                    where a.call = m.id and e.callee is m.callee and e.callee_name is m.callee_name
                      and e.caller is m.caller and e.caller_name is m.caller_name)
 group by m.run, m.callee, m.callee_name, m.caller, m.caller_name
 order by sum(m.seconds) desc, function, caller
 limit :most;
