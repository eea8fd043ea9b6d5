-- title: Parameters with one value
-- group: runs
-- does: lists parameters, arguments and registers that took one value, mostly one, or up to four when the program ran with probes
-- needs: FUNCTION optional
-- parameter: run 0 the run (0: all)
-- from: probes
-- A version of the function for that value lets the compiler compute with a constant.  Addresses are left out.
select f.run as run, n.name as function, f.kind as finding, v.kind as kind, coalesce(v.name, v.position) as name, v.count as count,
       v.distinct_count as "distinct",
       (select case when v.is_float then q.number else q.integer end from probe_frequent q where q.value = v.id and q.position = 1) as value,
       (select round(100 * q.share, 1) from probe_frequent q where q.value = v.id and q.position = 1) as percent,
       p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       f.function as function_id, f.instruction as instruction_id
  from probe_findings f
  join probe_values v on v.id = f.value
  left join functions n on n.id = f.function
  left join instruction_places p on p.instruction = f.instruction
 where f.kind in ('one value', 'usual value', 'few values') and :run in (0, f.run) and (FUNCTION is null or f.function = FUNCTION)
 order by f.ns desc nulls last, v.distinct_count, v.count desc, v.id;
