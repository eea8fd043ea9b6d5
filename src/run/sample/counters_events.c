/* Whether this computer's kernel counts an event.

   Most virtual machines hide the processor's counters: the kernel then says ENOENT or EOPNOTSUPP.  In
   containers and under perf_event_paranoid 3 it refuses everything. */
#include "run/sample/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *counters_refusal(int number)
{
    switch (number) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return "there is no such counter: virtual machines mostly hide the processor's counters";
    case EACCES:
    case EPERM:
        return "the system does not let this user count (/proc/sys/kernel/perf_event_paranoid)";
    case ENOSYS:
        return "the kernel has no perf events";
    case EINVAL:
        return "the kernel does not know the event";
    default:
        return strerror(number);
    }
}

bool counters_open(const struct sample_wish *wish, const char **why)
{
    struct perf_event_attr attributes = {.size = sizeof attributes,
                                         .type = wish->type,
                                         .config = wish->config,
                                         .config1 = wish->config1,
                                         .config2 = wish->config2,
                                         .disabled = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
    if (file < 0) {
        *why = counters_refusal(errno);
        return false;
    }
    close((int)file);
    return true;
}
