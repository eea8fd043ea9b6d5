-- What assay schedule asks of the ledger, and leaves in it.

--- hosts
select name, source, processor, machine, processors, cores, round(memory / 1e9, 1) as memory_gb,
    round(free_memory / 1e9, 1) as free_gb, load, state, cast(unixepoch() - seen as integer) as seconds_old,
    cast(expires - unixepoch() as integer) as valid_for
from directory
where expires is null or expires > unixepoch()
order by rtrim(name, '0123456789'), length(name), name, seen desc

--- count_running
select count(*)
from attempts
where state in ('starting', 'queued', 'running')

--- count_waiting
select count(*)
from tasks
join workflows on workflows.id = workflow
where state = 'waiting' and not is_speculative and not is_cancelled

--- workflow_named
select id
from workflows
where name = ?

--- note_cancelled
-- Tasks of a workflow, or the one of this name and its probes.
insert into decisions (time, kind, task, reason)
select ?3, 'cancel', id,
    case state when 'running' then 'cancelled by its user while it runs' else 'cancelled by its user' end
from tasks
where workflow = ?1 and state in ('waiting', 'running') and (?2 is null or name = ?2
        or probe_of in (select id from tasks where workflow = ?1 and name = ?2))

--- cancel_tasks
-- The same tasks.
update tasks
set state = 'cancelled'
where workflow = ?1 and state in ('waiting', 'running') and (?2 is null or name = ?2
        or probe_of in (select id from tasks where workflow = ?1 and name = ?2))

--- task_named
select 1
from tasks
where workflow = ? and name = ?

--- cancel_workflow
update workflows set is_cancelled = 1 where id = ?

--- count_cancelled_jobs
select count(*)
from attempts
join tasks on tasks.id = task
where tasks.state = 'cancelled' and attempts.state in ('starting', 'queued', 'running')

--- write_share
insert into users (name, share)
values (?, ?)
on conflict (name) do update set share = excluded.share

--- users
select users.name as user, share, count(tasks.id) as tasks, sum(tasks.state = 'waiting') as waiting,
    sum(tasks.state = 'running') as running
from users
left join workflows on workflows.user = users.id
left join tasks on tasks.workflow = workflows.id
group by users.id
order by users.name
