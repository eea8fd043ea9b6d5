/* Parts of the page that report_quality_html writes. */
#ifndef SHOW_REPORT_QUALITY_HTML_H
#define SHOW_REPORT_QUALITY_HTML_H
#include "code/cost/links.h"
#include "show/report/common/loop_place.h"
#include "show/report/common/places.h"
#include "show/report/quality/quality.h"
#include "show/report/quality/rows.h"

struct html_report {
    const struct quality_view *view;
    const struct model *model;
    FILE *out;
    struct places *places;
    size_t section_count; /* loops with a section of their own: the first of the view's */
    /* Of a page about a run: what it measured of a loop, in the loop's section; NULL: no run. */
    void (*print_run)(void *context, uint32_t loop);
    void *context;
    const char *flow; /* address of the control flow graph of the loop's function; NULL: none */
};

/* What a line about a loop shows, for its slowest path. */
struct html_figures {
    const struct loop_cycle *cycle;   /* NULL: no answer */
    const struct loop_metric *metric; /* NULL: none */
    double gain;                      /* 1: unknown */
    bool is_upper;                    /* the gain is an upper limit */
    const char *level;                /* the most certain level of its advice; NULL: no advice */
};
void html_figures_find(struct html_figures *figures, const struct html_report *report,
                       const struct quality_rows *rows);

/* quality/html_summary.c: the head of the report, charts. */
void html_head(const struct html_report *report);
void html_summary(const struct html_report *report);
/* quality/html_actions.c: what to do for the whole program; and the attribute of a row that names the actions
 * for its loop. */
void html_actions(const struct html_report *report);
void html_actions_of(const struct html_report *report, const struct quality_rows *rows);
/* quality/html_loops.c: the table of all loops; the short name of a loop's function, with the full name as
 * tooltip, as a link where it has a section. */
void html_table(const struct html_report *report);
void html_loop_name(const struct html_report *report, uint32_t loop, bool has_section);
/* quality/html_loop.c: the section of a loop; rank counts from 1. */
void html_loop(struct html_report *report, size_t rank, uint32_t loop);
/* Its pieces, for a page that arranges them itself.  path: the rows of one path (quality_rows_of_path). */
void html_loop_keys(const struct html_report *report, const struct quality_rows *rows,
                    const struct quality_rows *path); /* path NULL: the slowest */
void html_loop_role(const struct html_report *report, const struct quality_rows *rows);
void html_loop_words(const struct html_report *report, const struct quality_rows *path, bool is_one_of_many);
void html_loop_path_count(const struct html_report *report, const struct quality_rows *rows);
void html_loop_block(const struct html_report *report, uint32_t loop, uint32_t path);

/* Characters of a function's name before its parameters, if it has any. */
size_t html_short_name(const char *name);

/* quality/html_listing.c: which instructions of a loop are listed, and which source lines they come from.
   Each has a place, which names its row of the page: l8-i3, l8-s0. */
enum { NOT_LISTED = -1 };
struct listed_line {
    uint32_t file, line, instruction_count;
    bool has_text; /* its source can be read here */
};
struct html_listing {
    uint32_t loop;             /* 0: a function, or a part of it */
    uint32_t file;             /* its own */
    struct array instructions; /* of uint32_t: rows of code, in order; very long loops are cut */
    struct array lines;        /* of struct listed_line, by file and line, the loop's own file first */
    size_t left_out;           /* instructions that are not listed */
    bool has_text;             /* some line has */
};
void html_listing_find(struct html_listing *listing, struct html_report *report, uint32_t loop);
/* The same of a function: so many of its instructions, from the first-th on (from 0). */
void html_listing_find_function(struct html_listing *listing, struct html_report *report, uint32_t function,
                                uint32_t first, uint32_t most);
void html_listing_free(struct html_listing *listing);
int html_listing_instruction(const struct html_listing *listing, uint32_t instruction);
int html_listing_line(const struct html_listing *listing, const struct model *model, uint32_t instruction);

/* quality/html_advice.c: a card for each finding of a loop (struct quality_finding), numbered from 1; and
   which of them apply to a path. */
void html_cards(const struct html_report *report, const struct quality_rows *rows,
                const struct array *findings, const struct html_listing *listing);
void html_cards_of_path(const struct html_report *report, const struct quality_rows *path,
                        const struct array *findings);

/* quality/html_code.c: source and instructions side by side, with the marks of one path. */
void html_code(struct html_report *report, const struct html_listing *listing, const struct array *findings,
               const struct quality_rows *path);
/* The text of an instruction, its target by name or as a link to its row. */
void html_instruction(const struct html_report *report, const struct html_listing *listing,
                      uint32_t instruction);
/* Where an instruction comes from: "line 40", "mesh.hpp:16" where that is not the loop's own file, or its
   address. */
void html_origin(const struct html_report *report, const struct html_listing *listing, uint32_t instruction);
/* The attributes from which the script knows what to mark when a path is chosen. */
void html_path_marks(const struct html_report *report, const struct html_listing *listing,
                     const struct quality_rows *path);

/* quality/html_ports.c: the ports of one path as columns; what the ports of each machine are for. */
void html_draw_ports(const struct html_report *report, const struct quality_rows *path, bool is_first);
void html_port_legend(const struct html_report *report);

/* quality/html_figures.c: drawings of the parts of the core, ports and what-if cycles of one path (the first
 * of a loop has tooltips); tables of metrics of all paths and of the accesses of one; what the metrics mean.
 */
void html_drawings(const struct html_report *report, const struct quality_rows *path, bool is_first);
void html_figure_legend(const struct html_report *report);
void html_metrics(const struct html_report *report, const struct quality_rows *rows);
void html_accesses(const struct html_report *report, const struct quality_rows *path,
                   const struct html_listing *listing);

/* quality/html_dependences.c: which instruction waits for which, with the longest chain between iterations,
   of a path that was predicted with these costs. */
void html_dependences(const struct html_report *report, const struct html_listing *listing,
                      const struct quality_rows *path, const struct block_costs *work,
                      const struct cost_links *links);

/* Numbers. */
void html_number(FILE *out, double number);      /* 8.00; a dash where it is not finite */
void html_share(FILE *out, double share);        /* 25 % */
void html_narrow_share(FILE *out, double share); /* the same; <0.1 % for little */
/* ×1.5, up to ×1.5; a dash for none. */
void html_gain(FILE *out, double gain, bool is_upper);
#endif
