/* The ledger's lock: who has it may start tasks from this ledger.

   It is a record lock of the kernel on the file PATH.lock. Such a lock belongs to a process and not to what
   the process starts: jobs that outlive a scheduler do not hold its lock, and a scheduler that is killed
   leaves it free. The file stays; only the kernel's lock on it means anything. The number of the holder comes
   from the kernel, and from the file where the kernel cannot tell it (a process of another container). */
#include "ledger/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

static bool is_taken(struct ledger *ledger, int file, struct error *error)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char noted[32] = "";
    long process = 0;
    if (!fcntl(file, F_GETLK, &lock) && lock.l_type != F_UNLCK)
        process = lock.l_pid;
    if (process <= 0 && pread(file, noted, sizeof noted - 1, 0) > 0)
        process = strtol(noted, NULL, 10);
    return error_set(
        error, ledger->path,
        "another scheduler (process %ld) runs on this ledger; end that one first, or use another "
        "ledger with --ledger FILE",
        process);
}

bool ledger_take_lock(struct ledger *ledger, struct error *error)
{
    if (ledger->lock >= 0)
        return true;
    char *name = memory_format("%s.lock", ledger->path);
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool is_mine = false;
    if (file < 0)
        error_set_errno(error, name, "cannot be made");
    else if (!fcntl(file, F_SETLK, &lock))
        is_mine = true;
    else if (errno == EACCES || errno == EAGAIN)
        is_taken(ledger, file, error);
    else
        error_set_errno(error, name, "cannot be locked");
    if (is_mine) {
        char number[32];
        int length = snprintf(number, sizeof number, "%ld\n", (long)getpid());
        /* The number is for messages only: a full disk does not matter here. */
        if (ftruncate(file, 0) || pwrite(file, number, (size_t)length, 0) != length)
            errno = 0;
        ledger->lock = file;
    } else if (file >= 0) {
        close(file);
    }
    free(name);
    return is_mine;
}

/* A process that closes the file anywhere loses its lock on it: who has the lock does not open it again. */
long ledger_lock_holder(const struct ledger *ledger)
{
    if (ledger->lock >= 0)
        return (long)getpid();
    char *name = memory_format("%s.lock", ledger->path);
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    long process = 0;
    if (file >= 0 && !fcntl(file, F_GETLK, &lock) && lock.l_type != F_UNLCK)
        process = lock.l_pid ? (long)lock.l_pid : -1;
    if (file >= 0)
        close(file);
    free(name);
    return process;
}

void ledger_release_lock(struct ledger *ledger)
{
    if (ledger->lock >= 0)
        close(ledger->lock);
    ledger->lock = -1;
}
