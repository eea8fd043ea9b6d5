/* Temporary files with a name. Code that creates one registers it here, and it is removed if the process ends
   before the file is complete: by an error, by lack of memory or by Ctrl-C. (Most file systems have unnamed
   files, which need none of this; NFS and others do not.) A folder is removed with its contents. */
#ifndef BASE_LEFTOVERS_H
#define BASE_LEFTOVERS_H
#include "base/error.h"

/* The text must stay valid until it is dropped. One thread only. */
void leftovers_add(const char *path);
void leftovers_drop(const char *path); /* NULL is ignored */
/* A new folder in $TMPDIR or /tmp, registered; its path, to be freed after it was dropped. NULL: the error
   says why. */
char *leftovers_make_folder(struct error *error);
/* Removes a folder and its contents, 64 levels deep; symbolic links are removed, never followed. */
void leftovers_remove_folder(const char *path);
/* From here on SIGINT, SIGTERM and SIGHUP remove the registered files before they end the process, as exit
   does. */
void leftovers_guard(void);
/* Ends the process as Ctrl-C does, in so many seconds; 0: not any more.  For a handler that asked the work to
   stop, and cannot know whether it hears. */
void leftovers_end_within(unsigned seconds);
#endif
