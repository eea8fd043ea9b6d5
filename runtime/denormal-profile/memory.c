/* Reading memory that may not be there: through the kernel, which returns an error for unmapped addresses.  Safe in handlers
   of signals. */
#include "profile.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

size_t memory_read(uintptr_t address, void *into, size_t size)
{
    struct iovec here = {into, size}, there = {(void *)address, size};
    long done = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &here, 1, &there, 1, 0);
    if (done >= 0)
        return (size_t)done;
    if (errno == EFAULT)
        return 0;
    /* Forbidden here.  Instructions and operands have just been read by the processor; only what lies on a
       further page may be missing. */
    size_t rest = 4096 - address % 4096;
    size = size < rest ? size : rest;
    memcpy(into, (const void *)address, size);
    return size;
}
