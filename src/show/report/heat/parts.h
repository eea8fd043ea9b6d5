/* What the forms of a function's heat share. */
#ifndef SHOW_REPORT_HEAT_PARTS_H
#define SHOW_REPORT_HEAT_PARTS_H
#include "show/report/heat/heat.h"

/* choose.c: what is shown of a function. */
struct heat_row {
    uint32_t place;   /* in heat.instructions */
    uint32_t skipped; /* so many are left out from there on; 0: the instruction itself */
    double seconds;   /* of those */
};
/* Of struct heat_row: all, or, of a function with more than `most` instructions, the stretches with its time. */
struct array heat_choose_instructions(const struct heat *heat, size_t most);
struct heat_text_line {
    uint32_t line, node; /* node 0: no code was made of it */
    bool is_gap;         /* lines before it are left out */
};
/* Of struct heat_text_line: lines of the function's own file, with what stands between them. */
struct array heat_choose_lines(const struct heat *heat, size_t most);
/* Whether what a node calls takes enough of the run to stand beside its own time. */
bool heat_is_calling(const struct heat *heat, uint32_t node);
/* Whether a node has enough of the function's time to be named. */
bool heat_is_worth_naming(const struct heat *heat, uint32_t node);

/* jumps.c: arrows beside these rows. */
enum { HEAT_LANES = 6 };
enum heat_stroke { /* bits of a cell */
                   HEAT_UP = 1,
                   HEAT_DOWN = 2,
                   HEAT_LEFT = 4,
                   HEAT_RIGHT = 8,
};
enum heat_end { HEAT_STARTS = 1, HEAT_LEADS_HERE = 2 };
struct heat_jumps {
    uint8_t *cells; /* by row and lane, the outermost lane first */
    uint8_t *ends;  /* by row, of enum heat_end */
    unsigned lanes;
    size_t left_out; /* jumps without an arrow, because there are too many beside each other */
};
void heat_jumps_find(struct heat_jumps *jumps, const struct heat *heat, const struct array *rows);
void heat_jumps_free(struct heat_jumps *jumps);

/* words.c.  To be freed. */
char *heat_function_name(const struct heat_view *view, uint32_t function);
char *heat_name(const struct heat_view *view, string_id name);
const char *heat_path(const struct heat_view *view, uint32_t file); /* "?" for none */
char *heat_share(const struct heat *heat, double seconds); /* "41 %", "0.4 %", "<0.1 %"; "" for nothing */
/* "step, heat.c:13: 98 % of the time, 1.43 s in 1,430 samples" without the name. */
char *heat_say_function(const struct heat_view *view, const struct heat *heat);
/* Why there is no text of the source; NULL: there is. */
char *heat_say_no_source(const struct heat_view *view, const struct heat *heat);
/* "smooth 41 %, norm 8 %": what was inlined at a line; NULL: nothing that matters. */
char *heat_say_inlined(const struct heat_view *view, const struct heat *heat, uint32_t line);
/* Blanks that all lines of an inlined body begin with. */
size_t heat_indent(const struct heat_view *view, const struct heat *heat, uint32_t call);
/* The instruction, its target by name or address. */
char *heat_instruction_text(const struct heat_view *view, uint32_t instruction);
/* The line of the function that an instruction belongs to. */
uint32_t heat_line_of(const struct heat *heat, uint32_t node);
/* "smooth, heat.c:8": the inlined body that a node stands in; NULL: the function's own. */
char *heat_say_origin(const struct heat_view *view, const struct heat *heat, uint32_t node);
#endif
