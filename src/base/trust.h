/* Which files may be read because another file names them.

   A file on the command line was named by the user. Files that it names in turn (an included text, a source
   in its debug information, an archive member stored outside the archive) were named by a stranger, who may
   want a private file to be shown or to end up in a report. Such a file is read only if it is near the files
   that the user named:

   - in the folder of a named file or below it, and in the current directory or below it;
   - in the project around these: the topmost folder above them that looks like one (.git, Makefile, …);
   - in /usr, where the system keeps headers and sources that everybody may read.

   Below such a folder hidden files are not read (~/.ssh if somebody works in ~), nor anything in /proc and
   /sys. The root, world-writable folders and the user's home never count as a project. Links are resolved
   before these checks. --trust switches them off. */
#ifndef BASE_TRUST_H
#define BASE_TRUST_H
#include "base/memory.h"

#include <stdbool.h>

struct trust {
    struct array folders; /* of char *: real paths */
    struct array refused; /* of char *: real paths of files that exist but were not read, each once */
    bool is_all;
    bool is_none; /* nothing may be read, not even in /usr */
};

/* With the current directory; is_all: everything may be read. */
void trust_begin(struct trust *trust, bool is_all);
/* Adds the folder of a file named by the user, and the project around it. */
void trust_add_file(struct trust *trust, const char *path);
/* Adds a folder named by the user. */
void trust_add_folder(struct trust *trust, const char *path);
/* Whether this file may be read. NULL allows only files in /usr. Several threads may ask at once. */
bool trust_allows(struct trust *trust, const char *path);
/* The same for a file that nobody named, so that nobody misses it. */
bool trust_allows_guess(struct trust *trust, const char *path);
void trust_free(struct trust *trust);
#endif
