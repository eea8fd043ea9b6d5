-- Questions of views of predictions, to the ledger.

--- told_load
select d.name, r.label, r.host, r.processors, p.seconds, p.lower, p.upper, r.seconds, m.kind, p.probes,
    (select sum(q.probe_seconds) from predictions q where q.predictor = r.predictor and q.inputs = r.inputs and q.host =
        r.host and q.is_final = 1 and q.made <= r.made), r.made
from runs r
join predictors d on d.id = r.predictor
join predictions p on p.id = (select q.id from predictions q where q.predictor = r.predictor and q.inputs = r.inputs
        and q.host = r.host and q.processors = r.processors and q.is_final = 1 and q.made <= r.made order by q.made
        desc, q.id desc limit 1)
left join prediction_models m on m.id = p.model
where (?1 is null or d.name = ?1 or d.path = ?1 or substr(d.path, -length(?1) - 1) = '/' || ?1) and not exists (select
        1 from runs e where e.predictor = r.predictor and e.inputs = r.inputs and e.host = r.host and e.made < p.made)
order by d.name, r.made, r.id

--- is_known
select 1
from predictors d
where d.name = ?1 or d.path = ?1 or substr(d.path, -length(?1) - 1) = '/' || ?1

--- print_models
select m.kind, m.runs, m.error, m.worst
from prediction_models m
where m.id in (select max(n.id) from prediction_models n join predictions p on p.predictor = n.predictor and p.host =
        n.host where p.id = ?1 group by n.kind)
order by m.error is null, m.error, m.kind
