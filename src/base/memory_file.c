#include "base/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

bool memory_file_make(struct memory_file *file, const void *data, size_t size, struct error *error)
{
    int made = memfd_create("assay", MFD_CLOEXEC);
    /* Not a number of a standard stream, which a child needs for itself. */
    file->descriptor = made < 0 ? -1 : fcntl(made, F_DUPFD, STDERR_FILENO + 1);
    int number = errno;
    if (made >= 0)
        close(made);
    errno = number;
    if (file->descriptor < 0)
        return error_set_errno(error, NULL, "cannot create a file in memory");
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->descriptor);
    for (size_t done = 0; done < size;) {
        ssize_t part = write(file->descriptor, (const char *)data + done, size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0) {
            error_set_errno(error, NULL, "cannot write a file in memory");
            memory_file_close(file);
            return false;
        }
        done += (size_t)part;
    }
    return true;
}

void memory_file_close(struct memory_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}
