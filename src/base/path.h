/* Names of files, as texts. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

/* What is behind the last slash; the whole path where nothing is. */
const char *path_name(const char *path);
/* What is before it: "." where there is no slash, "/" for a file there.  To be freed. */
char *path_folder(const char *path);
/* The same name from the root on, seen from the current directory; nothing is resolved.  To be freed. */
char *path_absolute(const char *path);
#endif
