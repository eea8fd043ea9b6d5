/* The plan as text.

     # a comment, up to the end of the line
     file /usr/lib/libx.so       the lines below are for this file; above the first such line: for all files
     build-id 3f2a…              of the program, or of the file above; another build is refused
     functions [NAME]            calls and times; NAME: a name or a regular expression, up to the end of
                                 the line
     loops [NAME]                loops of functions; FILE:LINE: the innermost loops with that line
     loop N                      one loop, by its id (assay loops lists them)
     calls [NAME]                calls of functions, by call site
     values NAME                 parameters of functions
     addresses loop N            addresses of all loads and stores of a loop; FILE:LINE: of the innermost
                                 loops with that line
     at 0x1234 x3                a register, or a variable, before the instruction at an address
     at f.c:40 i                 the same at a line
     no-clock                    loops: counts alone
     keep-all                    individual values, besides summaries

   plan_text_show writes the same lines, and as comments what became of them. */
#ifndef RUN_PROBE_PLAN_TEXT_H
#define RUN_PROBE_PLAN_TEXT_H
#include "run/probe/plan/choice.h"

#include <stdio.h>

/* Adds the wishes of a file, or of a text that is called `name` in errors. */
bool plan_text_read_file(struct probe_choice *choice, const char *path, struct error *error);
bool plan_text_read(struct probe_choice *choice, const char *text, size_t length, const char *name,
                    struct error *error);
/* The wishes alone.  model: the build-ids of its files are written, too, so that the plan is refused for
   another build; NULL: only those of the choice. */
void plan_text_write(const struct probe_choice *choice, const struct model *model, FILE *out);
/* The wishes, then as comments each subject with its probes: address, what is recorded, which registers are
   free, how the probe is placed or why not, and the instructions that are moved.  After probe_place. */
void plan_text_show(const struct probe_choice *choice, const struct probe_plan *plan, FILE *out);
#endif
