-- title: Lines that take the time
-- group: runs
-- does: lists the source lines where a sampled run spent its processor time
-- needs: FUNCTION optional
-- parameter: run 0 the run (0: all)
-- parameter: most 30 number of lines to show
-- from: samples
-- Code that was not read, or has no debug information, has no lines: the table run_files shows how much that is.
select n.name as function, l.samples as samples, round(l.seconds, 3) as seconds, round(100 * l.share, 1) as percent,
       l.file as file, l.line as line, l.run as run, l.function as function_id
  from run_lines l
  left join functions n on n.id = l.function
 where :run in (0, l.run) and (FUNCTION is null or l.function = FUNCTION)
 order by l.seconds desc, l.file, l.line
 limit :most;
