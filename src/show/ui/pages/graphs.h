/* What the pages of graphs share: the choices in an address, what is around the picture, its list. */
#ifndef SHOW_UI_PAGES_GRAPHS_H
#define SHOW_UI_PAGES_GRAPHS_H
#include "show/report/graph/picture.h"
#include "show/ui/request.h"

/* Something that was opened or closed: a letter for its kind, and its row.
   l: loop, b: region of a block, r: region of a loop; c: callees of a function, p: its callers. */
struct graph_key {
    char letter;
    int64_t row;
};

enum graph_page { graph_FLOW, graph_DOMINATORS, graph_CALLS };

struct graph_view {
    const struct ui_request *request;
    enum graph_page page;
    int64_t function;            /* 0: all */
    char *name;                  /* for people */
    struct array opened, closed; /* of struct graph_key */
    int64_t most, usual_most;    /* nodes */
    int64_t depth, show;         /* steps of calls; a block to be seen */
    const char *text, *size;     /* how many instructions; what makes nodes large; NULL: as usual */
    bool is_download;
};

/* Reads the address; false: the error is set. */
bool graph_view_begin(struct graph_view *view, struct ui_request *request, struct ui_answer *answer,
                      enum graph_page page, struct error *error);
void graph_view_end(struct graph_view *view);
/* The address of the same view, for an attribute; opened (closed) may be NULL: also with that. */
void graph_view_address(FILE *out, const struct graph_view *view, const struct graph_key *opened,
                        const struct graph_key *closed);
/* The page: or the picture alone, as a file. hidden: things that are left out, in words; NULL: none. */
void graph_view_write(const struct graph_view *view, struct ui_request *request, struct ui_answer *answer,
                      const struct graph *graph, const struct picture_options *options, const char *sentence);
#endif
