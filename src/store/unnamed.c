#include "store/unnamed.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

/* SQLite makes its temporary files with O_EXCL, and no others; then it removes the name. */
static int open_file(const char *path, int flags, int mode)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if ((flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL) || !length || length >= sizeof folder)
        return open(path, flags, mode);
    memcpy(folder, path, length);
    folder[length] = 0;
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    return file >= 0 ? file : open(path, flags, mode);
}

static void take_over(void)
{
    sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    if (files && files->iVersion >= 3 && files->xSetSystemCall)
        files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)open_file);
}

void unnamed_files(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, take_over);
}
