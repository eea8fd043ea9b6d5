-- title: Time by activity
-- group: runs
-- does: adds up the processor time of a sampled run by what its functions do: computing, waiting, locks, memory, input and output
-- parameter: run 0 the run (0: all)
-- from: samples
-- shows: histogram
-- Names of functions and libraries decide, and what is in the kernel stands alone.
select case f.state when 'kernel' then 'kernel' else n.activity end as activity, count(*) as functions,
       round(sum(n.self_seconds), 3) as seconds, n.run as run, round(100 * sum(n.self_share), 1) as percent
  from run_functions n
  join run_files f on f.id = n.file
 where :run in (0, n.run) and n.self_seconds > 0
 group by n.run, case f.state when 'kernel' then 'kernel' else n.activity end
 order by sum(n.self_seconds) desc, activity;
