/* Files under a name of their own while they are being written.  Whoever makes one says so, and it is gone
   when the process ends before the file is whole: by an error, by exhausted memory or by Ctrl-C.  (Most file
   systems know files without a name, which need none of this; NFS and others do not.)  A folder goes with
   what is in it, a few levels deep. */
#ifndef BASE_LEFTOVERS_H
#define BASE_LEFTOVERS_H

/* The text must stay until it is dropped.  One thread. */
void leftovers_add(const char *path);
void leftovers_drop(const char *path); /* NULL is nothing */
/* A folder and what is in it, a few levels deep; symbolic links are removed, never followed. */
void leftovers_remove_folder(const char *path);
/* From here on SIGINT, SIGTERM and SIGHUP remove what is left before they end the process, as exit does. */
void leftovers_guard(void);
#endif
