/* The answer of assay optimise: what to change about the compilation of a loop, what that brings and what it
   risks; then the finalists, and how much was tried. */
#ifndef SHOW_REPORT_OPTIMISE_OPTIMISE_H
#define SHOW_REPORT_OPTIMISE_OPTIMISE_H
#include "change/optimise/search/search.h"
#include "show/report/common/style.h"

/* A loop by one compiler. */
struct optimised {
    const char *compiler; /* as it was asked for */
    struct compilation compilation;
    struct choices choices;
    struct extract extract;
    struct search_answer answer;
    bool is_other; /* it is not the compiler that compiles it now */
    bool is_done;  /* there is an answer */
    char *problem; /* why not; NULL */
};

struct optimise_view {
    const struct optimised *searches;
    size_t count;
    size_t best;         /* the search with the best winner; SIZE_MAX: none has one */
    const char *machine; /* in words */
    const char *machine_name;
    const char *measured;   /* what was run, in words; NULL: nothing was */
    const char *why_not;    /* a sentence: why nothing was run; NULL: nobody asked, or it was */
    bool is_program;        /* times are of the whole program */
    const char *tolerance;  /* of results, as it was asked for; NULL: bit for bit */
    double share;           /* of the program's time in the loop; NaN: unknown */
    const char *patch;      /* what to do, as a patch or in words; NULL: nothing, or not known */
    const char *patch_file; /* where it was written; NULL: nowhere */
    double before, after;   /* seconds of the whole program without and with the patch; NaN: not run */
    bool is_different;      /* the whole program says something else with it: there is no answer then */
    bool is_slower;         /* the whole program is: there is no answer then */
    const char *unverified; /* why these are not there, where somebody asked; NULL */
};

void report_optimise_text(const struct optimise_view *view, const struct report_style *style, FILE *out);
/* As json one object (the caller writes what is around several); as csv a row for each finalist, after the
   names if `with_head`. */
void report_optimise_rows(const struct optimise_view *view, const struct report_style *style, bool with_head,
                          FILE *out);

/* words.c; all to be freed. */
/* The flags of a variant: "-O3 -funroll-loops"; NULL: it has none. */
char *optimise_flags(const struct choices *choices, const struct variant *variant);
/* What it puts into the source, sentence after sentence: of char *. */
struct array optimise_source_changes(const struct choices *choices, const struct variant *variant);
/* Both in a line, for tables. */
char *optimise_change(const struct choices *choices, const struct variant *variant);
/* What a set of risks means, of char *. */
struct array optimise_risks(unsigned risks);
void optimise_texts_free(struct array *texts);
/* The option that would accept refused results; NULL: none, or they are not refused. To be freed. */
char *optimise_accepted_by(const struct replay_result *result);
const char *optimise_verdict(enum replay_verdict verdict);
#endif
