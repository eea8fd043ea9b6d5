-- title: Savings by rule
-- group: runs
-- does: lists which advice would save how much of a sampled run, rule by rule
-- parameter: run 0 the run (0: all)
-- parameter: least 0.001 smallest share of the run worth showing
-- from: samples
-- The savings of one rule in different loops add up; those of different rules in one loop do not.
select u.name as rule, u.title as title, count(*) as loops, round(100 * sum(s.saving), 1) as percent,
       round(100 * max(s.saving), 1) as most_in_a_loop, s.run as run
  from run_savings s
  join advice a on a.id = s.advice
  join rules u on u.id = a.rule
 where :run in (0, s.run) and s.saving >= :least
 group by s.run, a.rule
 order by sum(s.saving) desc, u.name;
