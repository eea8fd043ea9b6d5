/* Which files may be read because another file says so.

   A file that is named on the command line is the word of the user.  What that file names in turn (a text
   that it includes, a source in its debug information, a member of an archive that lies outside of it) is the
   word of a stranger, who may want a private file to be shown or to end up in a report.  Such a file is read
   only if it lies with what the user named:

   - in the folder of a named file or below it, and in the current directory or below it;
   - in the project around these: the topmost folder above them that looks like one (.git, Makefile, …);
   - in /usr, where the system keeps headers and sources that everybody may read.

   Below such a folder nothing hidden is read (~/.ssh where somebody works in ~), and nothing in /proc and
   /sys.  The root, folders that everybody may write to and the home of the user are never taken for a
   project. Links are followed before all this is asked.  --trust puts an end to the question. */
#ifndef BASE_TRUST_H
#define BASE_TRUST_H
#include "base/memory.h"

#include <stdbool.h>

struct trust {
    struct array folders; /* of char *: real paths */
    struct array refused; /* of char *: real paths of files that are there and were not read, each once */
    bool is_all;
};

/* With the current directory; is_all: everything may be read. */
void trust_begin(struct trust *trust, bool is_all);
/* A file that the user named: its folder and the project around it. */
void trust_add_file(struct trust *trust, const char *path);
/* A folder that the user named. */
void trust_add_folder(struct trust *trust, const char *path);
/* Whether this file may be read.  NULL allows those in /usr alone. */
bool trust_allows(struct trust *trust, const char *path);
void trust_free(struct trust *trust);
#endif
