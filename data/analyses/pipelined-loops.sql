-- title: Software-pipelined loops
-- group: compiler
-- does: lists the software-pipelined loops with initiation interval, stages, constant trip count, and the cost of filling and draining the pipeline
-- needs: FUNCTION optional
-- parameter: trips 10 assumed iterations if the trip count is not a constant
-- isa: ia64
-- The trip count is the constant in ar.lc plus one.  efficient_percent: iterations / (iterations + stages - 1).
with known as materialized (select pipelined_loop as id, trips from pipelined_trips)
select n.name as function, p.loop as loop, p.initiation_interval as interval, p.stages as stages,
       case when p.is_counted then 'counted' else 'while' end as kind, k.trips as trips,
       (p.stages - 1) * p.initiation_interval as fill_cycles,
       round(100.0 * coalesce(k.trips, :trips) / (coalesce(k.trips, :trips) + p.stages - 1), 1) as efficient_percent,
       case when p.is_prologue_folded and p.is_epilogue_folded then 'prologue and epilogue'
            when p.is_prologue_folded then 'prologue' when p.is_epilogue_folded then 'epilogue' else 'none' end as folded,
       n.file as file, n.line as line, n.listing_line as listing_line, n.address as address, n.function as function_id,
       p.branch as instruction_id
  from pipelined_loops p
 cross join known k on k.id = p.id
 cross join loop_places n on n.loop = p.loop
 where FUNCTION is null or n.function = FUNCTION
 order by p.id;
