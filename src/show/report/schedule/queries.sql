-- Questions of views of schedules, to the ledger.

--- load_attempts
select a.task, h.host, h.processors, h.first, a.state, coalesce(a.started, a.asked), a.ended, a.expected, a.tag,
    a.problem, a.exit_status, a.processors, a.id
from attempts a
join attempt_hosts h on h.attempt = a.id
where a.engine = ?1 and coalesce(a.ended, ?2) >= ?3
order by a.id

--- load_plan
select p.task, p.host, p.processors, p.first, p.begins, p.ends, p.packed
from plan p
join tasks t on t.id = p.task
where t.state not in ('running', 'done', 'failed', 'cancelled')
order by p.place, p.id

--- find_window
select min(coalesce(a.started, a.asked))
from attempts a
join tasks t on t.id = a.task
where t.workflow = ?1 and a.engine = ?2

--- missing_needs
select w.name, t.name, t.id, t.state
from needs n
join tasks t on t.id = n.needed
join workflows w on w.id = t.workflow
where n.task = ?1 and t.state <> 'done'
order by t.state <> 'running', t.id

--- choose_last
select t.workflow
from attempts a
join tasks t on t.id = a.task
where a.ended is not null
order by a.ended desc
limit 1

--- load_workflows
select w.id, w.name, u.name, w.submitted, w.deadline, w.is_speculative, w.is_cancelled,
    exists(select 1 from tasks t where t.workflow = w.id and t.state in ('waiting', 'running'))
from workflows w
left join users u on u.id = w.user
order by w.id

--- find_engine
select max(t)
from (select max(started) as t from attempts where engine = ?1 union all select max(ended) from attempts where engine
        = ?1 union all select max(packed) from plan join hosts on hosts.id = plan.host where engine = ?1 union all
        select 0)

--- load_hosts
select id, name, state, why, processors, seen
from hosts
where engine = ?1 and (state <> 'gone' or id in (select host from attempt_hosts))
order by id

--- load_stuck
select d.task, d.reason
from decisions d
join tasks t on t.id = d.task
where t.state = 'waiting' and d.kind = 'block'
order by d.id

--- find_task
select t.id, w.name || '/' || t.name, t.state, w.submitted,
    (select min(coalesce(started, asked)) from attempts where task = t.id),
    (select engine from attempts where task = t.id order by id desc limit 1)
from tasks t
join workflows w on w.id = t.workflow
where w.name || '/' || t.name = ?1 or t.name = ?1 or cast(t.id as text) = ?1
order by w.name || '/' || t.name = ?1 desc, t.id

--- print_missing
select w.name || '/' || t.name, t.state
from needs n
join tasks t on t.id = n.needed
join workflows w on w.id = t.workflow
where n.task = ?1 and t.state <> 'done'
order by t.id

--- print_decisions
select d.time, d.kind, d.reason, h.name
from decisions d
left join hosts h on h.id = d.host
where d.task = ?1 or (d.task is null and d.kind in ('engine', 'recover') and d.time >= ?2 and d.time <= ?3)
order by d.time, d.id

--- last_engine
select engine
from hosts
order by seen desc, id desc
limit 1

--- decisions
select task, time, kind, reason
from decisions
where task is not null
order by task, time, id

--- tasks
select t.id, t.workflow, t.name, t.probe_of, p.name, t.state, t.deadline, t.seconds, t.lower, t.upper,
    t.estimate_from, t.least, t.most, e.seconds, e.share, e.estimate_from
from tasks t
left join tasks p on p.id = t.probe_of
left join attempt_estimates e on e.attempt = (select max(a.id) from attempts a where a.task = t.id)
where t.workflow = ?1 or t.id = ?2
