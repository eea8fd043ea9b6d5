-- What predictions ask of the ledger, and leave in it.

--- scaling_by_probes
select other.processors, other.seconds / base.seconds
from probe_tasks base
join probe_tasks other on other.predictor = base.predictor and other.inputs = base.inputs and other.host = base.host
        and other.factor = base.factor and other.is_identity = base.is_identity and other.processors > base.processors
where base.predictor = ? and base.host = ? and base.processors = ? and base.seconds > 0 and other.seconds > 0

--- scaling_by_runs
select other.processors, other.seconds / base.seconds
from runs base
join runs other on other.predictor = base.predictor and other.inputs = base.inputs and other.host = base.host and
        other.processors > base.processors
where base.predictor = ? and base.host = ? and base.processors = ? and base.seconds > 0 and other.seconds > 0

--- ask_probes
select inputs, factor, is_identity, min(seconds)
from probe_tasks
where predictor = ? and host = ? and processors = ? and seconds is not null
group by 1, 2, 3
order by min(id)

--- was_probed
select 1
from probe_tasks
where predictor = ? and factor = ? and seconds is not null
limit 1

--- find_known
select seconds, cpu_seconds
from probe_tasks
where predictor = ? and inputs = ? and host = ? and factor = ? and is_identity = ? and processors = ? and seconds is
        not null
order by seconds desc

--- ask_errors
select p.seconds, r.seconds
from runs r
join predictions p on p.id = (select q.id from predictions q where q.predictor = r.predictor and q.inputs = r.inputs
        and q.host = r.host and q.made <= r.made order by q.made desc, q.id desc limit 1)
where r.predictor = ? and r.host = ? and p.seconds > 0 and r.seconds > 0

--- input_sets_of
select inputs, identity
from input_sets
where predictor = ?
order by id

--- runs_on
select inputs, processors, seconds
from runs
where predictor = ? and host = ?
order by id

--- feature_values
select inputs, value
from features
where predictor = ? and name = ? and definition = ?

--- shrunk_features
select substr(name, 8) + 0.0, value
from features
where predictor = ? and definition = ?

--- add_model
insert into prediction_models (predictor, kind, host, parameters, runs, error, worst, made)
values (?, ?, ?, ?, ?, ?, ?, ?)

--- add_prediction
insert into predictions (predictor, inputs, label, host, processors, model, probes, probe_seconds, seconds, lower,
    upper, is_final, made)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

--- write_feature
insert or replace into features (predictor, inputs, name, definition, value) values (?, ?, ?, ?, ?)

--- add_probe_task
insert into probe_tasks (predictor, inputs, label, host, factor, is_identity, processors, seconds, cpu_seconds,
    shrink_seconds, problem, made)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

--- add_run
insert into runs (predictor, inputs, label, host, processors, seconds, cpu_seconds, source, made)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)

--- add_feature
insert or ignore into features (predictor, inputs, name, definition, value) values (?, ?, ?, ?, ?)

--- feature_value
select value
from features
where predictor = ? and inputs = ? and name = ? and definition = ?

--- add_predictor
insert into predictors (name, path, digest, build_id, seen)
values (?, ?, ?, ?, ?)
on conflict (digest, build_id) do update set name = excluded.name, path = excluded.path, seen = excluded.seen

--- predictor_id
select id
from predictors
where digest = ? and build_id = ?

--- add_input_set
insert into input_sets (predictor, inputs, identity, label)
values (?, ?, ?, ?)
on conflict (predictor, inputs) do update set label = excluded.label

--- add_run_once
insert into runs (predictor, inputs, label, host, processors, seconds, cpu_seconds, source, made)
select ?1, ?2, ?3, ?4, 1, ?5, ?5, 'assay run', ?6
where not exists (select 1 from runs where predictor = ?1 and inputs = ?2 and host = ?4 and seconds = ?5)

--- add_static_model
insert into prediction_models (predictor, kind, host, parameters, runs, error, worst, made)
values (?, 'static', ?, '{}', ?, null, null, ?)

--- add_static_prediction
insert into predictions (predictor, inputs, label, host, processors, model, probes, probe_seconds, seconds, lower,
    upper, is_final, made)
values (?, ?, ?, ?, 1, ?, 0, 0, ?, ?, ?, 1, ?)
