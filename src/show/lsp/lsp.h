/* A language server about what was built: cycles of loops, findings, assembly in an editor.

   It speaks the Language Server Protocol on two descriptors, with one client, in one thread. The figures are those of
   a build or a run; when its file changes they are read again, and the client is told. What the protocol calls
   a document is only known by its lines: edits since the build move the figures along, and loops that were edited lose
   them until the next build. Nothing of the user's is written.

   The client is the user's editor, but its messages pass on text of strangers (names, contents of files), and a broken
   one may send anything: sizes are bounded, JSON is looked into by SQLite, and what is not understood is answered with
   the error that the protocol has for it. */
#ifndef SHOW_LSP_LSP_H
#define SHOW_LSP_LSP_H
#include "show/report/quality/quality.h"

struct lsp_options {
    const char *path;    /* of the build or run */
    const char *version; /* of Assay */
    int in, out;
    /* Reads the file again, and fills the view with all loops analysed; what it filled before is gone only where it returns
       true. */
    bool (*load)(void *context, struct quality_view *view, struct error *error);
    void *context;
};

/* Until the client ends it. 0: as the protocol says; 1: the client went away, or ended it without asking for a shutdown;
   2: the stream cannot be read any further, and the error says why. */
int lsp_serve(const struct lsp_options *options, struct error *error);
#endif
