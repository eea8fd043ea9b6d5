-- What the scheduler asks of the ledger, and leaves in it.

--- block_others
select own.id, workflows.name || '/' || other.name, other.state
from needs
join tasks as own on own.id = needs.task
join tasks as other on other.id = needs.needed
join workflows on workflows.id = other.workflow
where own.state = 'waiting' and other.state in ('failed', 'blocked', 'cancelled')
limit 1

--- look_for_mean
with measured as (select seconds from tasks where state = 'done' and probe_of is null and estimate_from = 'measured'
                    order by id desc limit 1000),
     declared as (select seconds from tasks where state = 'waiting' and probe_of is null and estimate_from <> 'mean' and
                  workflow not in (select id from workflows where is_speculative))
select avg(seconds), count(*) from (select seconds from measured union all
                                    select seconds from declared where not exists (select 1 from measured))

--- ask_for_sizes
select 1
from task_files
join tasks on tasks.id = task
where bytes > 0 and state in ('waiting', 'running')
limit 1

--- locality_add
select own.task, coalesce(own.bytes, written.bytes), written.task,
    (select host from attempts join attempt_hosts on attempt = attempts.id where attempts.task = written.task and
        attempts.state = 'done' order by attempts.id desc limit 1)
from task_files as own
join tasks on tasks.id = own.task
left join task_files as written on written.path = own.path and written.is_output = 1
where own.is_output = 0 and tasks.state = 'waiting' and coalesce(own.bytes, written.bytes) > 0

--- remember_told
select distinct task, kind
from decisions
where kind in ('deadline', 'jump') and task in (select id from tasks where state in ('waiting', 'running'))

--- has_trouble
select 1
from decisions
join tasks on tasks.id = task
where time >= ? and state in ('failed', 'blocked') and probe_of is null
limit 1

--- start_delay
select avg(started - asked)
from (select started, asked from attempts where engine = ? and started >= asked order by id desc limit 20)

--- probe_seconds
select avg(seconds + coalesce(shrink_seconds, 0))
from probe_tasks
where predictor = ? and factor = ? and is_identity = ?

--- reason_to_start
select max(attempts.ended), tasks.name
from needs
join attempts on attempts.task = needed
join tasks on tasks.id = needed
where needs.task = ? and attempts.state = 'done'

--- list_files
select path,
    coalesce(bytes, (select max(bytes) from task_files as written where written.path = task_files.path and
        written.is_output = 1)), is_output,
    (select hosts.name from task_files as written join attempts on attempts.task = written.task join attempt_hosts on
        attempt = attempts.id join hosts on hosts.id = host where written.path = task_files.path and written.is_output
        = 1 and attempts.state = 'done' order by attempts.id desc limit 1)
from task_files
where task = ?

--- load_workflows
select id, name, folder, user, submitted, deadline, is_speculative, is_cancelled
from workflows
where id in (select workflow from tasks where state in ('waiting', 'running')) or id in (select workflow from tasks
        join attempts on attempts.task = tasks.id where attempts.state in ('starting', 'queued', 'running'))
order by id

--- load_tasks
select id, workflow, name, probe_of, command, least, most, spans, memory, hosts, deadline, predictor_file,
    predictor_inputs, probe_factor, probe_is_identity, scaling, seconds, lower, upper, state, estimate_from, tries,
    most_tries, simulated
from tasks
where state in ('waiting', 'running') or id in (select task from attempts where state in ('starting', 'queued',
        'running'))
order by id

--- load_needs
select needs.task, needs.needed, needs.bytes
from needs
join tasks as other on other.id = needs.needed
join tasks as own on own.id = needs.task
where own.state = 'waiting' and other.state in ('waiting', 'running')
order by needs.task

--- load_attempts
select id, task, tag, processors, state, expected, asked, started
from attempts
where engine = ? and state in ('starting', 'queued', 'running')
order by id

--- load_attempt_hosts
select attempt, host, first, attempt_hosts.processors
from attempt_hosts
join attempts on attempts.id = attempt
where engine = ? and state in ('starting', 'queued', 'running')

--- surroundings_complete
select name, source, memory, load, state, machine
from directory
where expires is null or expires > ?
order by seen desc, source

--- find_other
select tasks.id
from tasks
join workflows on workflows.id = tasks.workflow
where workflows.name = ? and tasks.name = ?

--- add_decision
insert into decisions (time, kind, task, attempt, host, reason)
values (?, ?, nullif(?, -1), nullif(?, -1), nullif(?, -1), ?)

--- block_task
update tasks set state = 'blocked' where id = ?

--- set_task
update tasks set state = ?, tries = ? where id = ?

--- set_attempt
update attempts
set state = ?, job = ?, started = coalesce(?, started), ended = ?, cpu_seconds = ?,
    exit_status = case when ? then ? end, problem = ?
where id = ?

--- expected_seconds
select expected
from attempts
where id = ?

--- count_lost
select count(*)
from attempts
where task = ? and state = 'lost' and started is not null

--- note_running
update attempts set state = ?, job = ?, started = ? where id = ?

--- set_mean
update tasks
set seconds = ?
where state = 'waiting' and probe_of is null and estimate_from = 'mean'

--- set_estimate
update tasks set seconds = ?, lower = ?, upper = ?, estimate_from = 'probes' where id = ?

--- set_measured
update tasks set seconds = ?, lower = null, upper = null, estimate_from = 'measured' where id = ?

--- write_host
insert into hosts (engine, name, processors, memory, speed, state, why, seen)
values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (engine, name) do update set processors = excluded.processors, memory = excluded.memory,
        speed = excluded.speed, state = excluded.state, why = excluded.why, seen = excluded.seen

--- host_id
select id
from hosts
where engine = ? and name = ?

--- lose_host
update hosts set state = 'gone', seen = ? where id = ?

--- hosts_of_engine
select id, name, processors, memory, speed
from hosts
where engine = ?
order by id

--- add_planned
insert into plan (task, place, host, processors, first, begins, ends, packed)
values (?, ?, ?, ?, ?, ?, ?, ?)

--- forget_plan
delete from plan

--- is_planned
select 1
from tasks
where probe_of is not null and state in ('waiting', 'running') and command = ?

--- add_probe
insert or ignore into tasks (workflow, name, probe_of, command, least, most, memory, hosts, predictor_file,
    predictor_inputs, probe_factor, probe_is_identity, estimate_from, state)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'mean', 'waiting')

--- cancel_task
update tasks set state = 'cancelled' where id = ?

--- add_attempt
insert into attempts (task, tag, engine, processors, state, expected, asked)
values (?, ?, ?, ?, 'starting', ?, ?)

--- add_attempt_estimate
insert into attempt_estimates (attempt, seconds, share, estimate_from) values (?, ?, ?, ?)

--- add_attempt_host
insert into attempt_hosts (attempt, host, processors, first) values (?, ?, ?, ?)

--- run_task
update tasks set state = 'running' where id = ?

--- unplan_task
delete from plan where task = ?

--- lose_attempt
update attempts set state = 'lost', ended = ?, problem = ? where id = ?

--- return_task
update tasks set state = 'waiting' where id = ?

--- load_users
select id, name, share
from users
order by id

--- add_user
insert into users (name) values (?) on conflict (name) do nothing

--- set_share
update users set share = ? where name = ?

--- user_id
select id
from users
where name = ?

--- workflow_submitted
select datetime(submitted, 'unixepoch', 'localtime')
from workflows
where name = ?

--- add_task
insert into tasks (workflow, name, command, least, most, spans, memory, hosts, deadline, predictor_file,
    predictor_inputs, scaling, seconds, simulated, estimate_from, state, most_tries)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?)

--- add_task_file
insert or ignore into task_files (task, path, is_output, bytes) values (?, ?, ?, ?)

--- add_need
insert or ignore into needs (task, needed, bytes) values (?, ?, ?)

--- add_workflow
insert into workflows (name, user, path, folder, submitted, deadline, is_speculative)
values (?, ?, ?, ?, ?, ?, ?)

--- add_submission
insert into decisions (time, kind, task, reason) values (?, 'submit', ?, ?)
