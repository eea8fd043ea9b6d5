-- Questions that docs/ledger.md shows: each with its title and what it tells.

--- waited_why: Why did my task wait?
-- note: Everything that was decided about it, in order; `assay schedule why flow/align` prints the same in words
select datetime(d.time, 'unixepoch', 'localtime') as at, d.kind, d.reason
  from decisions d join tasks t on t.id = d.task join workflows w on w.id = t.workflow
 where w.name = 'flow' and t.name = 'align' order by d.time, d.id

--- waited_how_long: How long did tasks wait, and how long did they run?
-- note: From submission to the first start, and from there to the end
select w.name as workflow, t.name as task, min(a.started) - w.submitted as waited,
       max(a.ended) - min(a.started) as ran, count(a.id) as attempts
  from tasks t join workflows w on w.id = t.workflow join attempts a on a.task = t.id
 group by t.id order by waited desc limit 20

--- predictions_error: How good are my predictions?
-- note: The last answer before each run; `assay predict --history` draws it
select d.name, count(*) as runs, avg(abs(p.seconds / r.seconds - 1)) as mean_error,
       max(abs(p.seconds / r.seconds - 1)) as worst_error,
       avg(r.seconds >= p.lower and r.seconds <= coalesce(p.upper, r.seconds)) as held
  from runs r join predictors d on d.id = r.predictor join predictions p on p.id =
       (select q.id from predictions q where q.predictor = r.predictor and q.inputs = r.inputs
         and q.host = r.host and q.processors = r.processors and q.is_final and q.made <= r.made
         order by q.made desc limit 1)
 group by d.name

--- estimates_error: How good were the scheduler's estimates?
-- note: Expected and real times of tasks that ended well; without_others: of the estimate for a host of its own
select e.estimate_from, count(*) as tasks, avg(abs(a.expected / (a.ended - a.started) - 1)) as mean_error,
       avg(abs(e.seconds / (a.ended - a.started) - 1)) as without_others, avg(e.share) as share
  from attempts a join attempt_estimates e on e.attempt = a.id
 where a.state = 'done' and a.ended > a.started group by e.estimate_from

--- idle_hosts: Which host idled most?
-- note: Busy share of its processors between its first and its last task
select h.name, h.processors, sum((a.ended - a.started) * x.processors) as busy_seconds,
       sum((a.ended - a.started) * x.processors) / (h.processors * (max(a.ended) - min(a.started))) as busy
  from attempt_hosts x join attempts a on a.id = x.attempt join hosts h on h.id = x.host
 where a.ended > a.started group by h.id order by busy

--- failures: What failed, and where?
-- note: With the name of the folder that has its output
select w.name as workflow, t.name as task, a.exit_status, a.problem, h.name as host, a.tag
  from attempts a join tasks t on t.id = a.task join workflows w on w.id = t.workflow
  left join attempt_hosts x on x.attempt = a.id left join hosts h on h.id = x.host
 where a.state in ('failed', 'lost') order by a.ended
