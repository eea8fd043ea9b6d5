/* Documents of the client, and the loops of the build in them. Lines count from 0, as in the protocol. */
#ifndef SHOW_LSP_DOCUMENTS_H
#define SHOW_LSP_DOCUMENTS_H
#include "show/lsp/message.h"
#include "show/report/common/places.h"
#include "show/report/quality/quality.h"

struct document {
    char *uri, *path;     /* path NULL: it is no file */
    char *text;           /* as the client has it; NULL: it has not told */
    struct array changes; /* of struct document_edit: since the build */
    size_t saved;         /* of these, those that a build can have seen */
    bool is_open;
};

/* file:///home/me/a%20b.c as a path; NULL: it is no such address. To be freed. */
char *document_path(const char *uri);
struct document document_begin(const char *uri);
/* The text that a client opens it with. */
void document_take_text(struct document *document, const struct message *message);
/* textDocument/didChange with the whole text, as the server asks for. */
void document_change(struct document *document, const struct message *message);
void document_save(struct document *document);
/* A build came: what was saved before is in it. */
void document_rebuild(struct document *document);
void document_free(struct document *document);

/* A loop as a document shows it: of those at one place the one that does most of the work. */
struct shown_loop {
    uint32_t loop;
    uint32_t first, last;             /* lines of the document as it is now */
    uint32_t built_first, built_last; /* lines of the build, from 1 */
    uint32_t others;                  /* further loops at this place */
};
/* Of struct shown_loop, by line; to be freed (array_free). */
struct array document_loops(const struct document *document, const struct quality_view *view);
#endif
