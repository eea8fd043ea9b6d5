/* The kernel's accounts of time: of all processors, and of a thread. */
#ifndef RUN_LAUNCH_ACCOUNTS_H
#define RUN_LAUNCH_ACCOUNTS_H
#include <stdbool.h>
#include <stdint.h>

/* Seconds that all processors together were busy, and that they had, since the computer started.  NaN: unknown. */
struct accounts_computer {
    double busy, all;
};
struct accounts_computer accounts_of_computer(void);

/* Nanoseconds that a thread ran, and that it was ready and waited for a processor. */
struct accounts_thread {
    uint64_t ran, queued;
};
/* false: the thread is gone, or the system does not tell. */
bool accounts_of_thread(uint32_t process, uint32_t thread, struct accounts_thread *account);
#endif
