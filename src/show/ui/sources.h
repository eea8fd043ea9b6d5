/* Source files of the program. */
#ifndef SHOW_UI_SOURCES_H
#define SHOW_UI_SOURCES_H
#include "show/ui/request.h"

/* The text of a source file, by its id in `files`; to be freed.  Only files that this program was compiled
   from are read, and of those only what base/trust.h allows: a database may name any file.  NULL: the error
   says why.  path (may be NULL) gets its name in both cases (NULL: no such file), to be freed. */
char *ui_source_text(struct ui_request *request, int64_t file, char **path, struct error *error);
#endif
