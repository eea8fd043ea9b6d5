/* What the tables of the report say of a loop, for queries: as quality_gain and quality_saving of
   show/report/quality rank them.

   A page must not load the tables of 100,000 loops to show ten, so the ranking is SQL here.  Advice of one
   rule on several paths adds up; different rules may be about the same time; a gain that is an upper limit
   counts half. */
#ifndef SHOW_UI_GAINS_H
#define SHOW_UI_GAINS_H

/* loop, cycles, limit: its slowest path. */
#define UI_SLOWEST_PATHS                                                                                     \
    "select loop, max(cycles) as cycles, \"limit\" from loop_cycles where cycles is not null group by loop"

/* loop, gain, is_upper, saving: its best advice of the levels gain and potential; is_start: it runs once,
   when the program starts or ends. */
#define UI_LOOP_GAINS                                                                                        \
    "select g.loop, max(g.gain) as gain, g.is_upper, w.share * max(g.saved) as saving, w.reach = 'start' "   \
    "as is_start from (select a.loop, "                                                                      \
    "max(a.gain) as gain, a.is_upper, sum((1 - 1 / a.gain) * iif(a.is_upper, 0.5, 1) * iif(a.is_shared, 1, " \
    "coalesce(c.share, 1))) as saved from advice a left join loop_cycles c on c.loop = a.loop and c.path = " \
    "a.path where a.gain > 1 and a.level_code <= 1 group by a.loop, a.rule) g left join loop_weights w on "  \
    "w.loop = g.loop group by g.loop"
#endif
