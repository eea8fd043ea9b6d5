-- What predictions ask the ledger.

--- predict_scaling_of
select other.processors, other.seconds / base.seconds
from probe_tasks base
join probe_tasks other on other.predictor = base.predictor and other.inputs = base.inputs and other.host = base.host
        and other.factor = base.factor and other.is_identity = base.is_identity and other.processors > base.processors
where base.predictor = ? and base.host = ? and base.processors = ? and base.seconds > 0 and other.seconds > 0

--- predict_scaling_of_2
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
