-- title: What to do first
-- group: advice
-- does: lists compiler options and changes to the source by what they would save in all loops together
-- needs: PROGRAM optional
-- parameter: most 20 number of actions to show
-- An action counts where it is the first remedy of advice at the levels gain and potential: nothing else is needed before it.
-- `percent` is of the time in innermost loops. Without a sampled run that time is an estimate from loops and calls around each
-- loop (loop_weights). `loop` is the one that it saves most in. Savings of different actions in one loop do not add up.
select a.action as action, a.level as level, a.loop_count as loops, a.function_count as functions,
       round(a.gain, 1) as median_gain, round(100 * a.saving, 1) as percent, n.name as function, a.loop as loop,
       n.file as file, n.line as line, n.listing_line as listing_line, n.address as address
  from program_actions a
 cross join loop_places n on n.loop = a.loop
 where PROGRAM is null or a.program = PROGRAM
 order by a.saving desc, a.program, a.position
 limit :most;
