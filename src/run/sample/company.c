/* Threads are looked at now and then while they run, because their accounts go with them; the program's first thread can be looked
   at when it has ended, too (run/launch/run.c).  Of more than MOST_THREADS, the last ones are looked at. */
#include "run/sample/company.h"

#include <math.h>

enum { MOST_THREADS = 256 };

/* NaN: it has ended, or the system does not tell. */
static double queued_so_far(const struct sample_recording *recording, const struct sample_thread *thread)
{
    const struct sample_process *process =
        ARRAY_AT(struct sample_process, &recording->processes, thread->process);
    struct accounts_thread account;
    return isnan(thread->end) && accounts_of_thread(process->process, thread->thread, &account)
               ? (double)account.queued * 1e-9
               : NAN;
}

void company_begin(struct sample_recording *recording)
{
    for (size_t i = 0; i < recording->threads.count; i++) {
        struct sample_thread *thread = ARRAY_AT(struct sample_thread, &recording->threads, i);
        double queued = queued_so_far(recording, thread);
        thread->queued_before = isnan(queued) ? 0 : queued;
    }
}

void company_look_at_threads(struct sample_recording *recording)
{
    unsigned looked = 0;
    for (size_t i = recording->threads.count; i-- > 0 && looked < MOST_THREADS;) {
        struct sample_thread *thread = ARRAY_AT(struct sample_thread, &recording->threads, i);
        double queued = queued_so_far(recording, thread);
        if (isnan(queued))
            continue;
        thread->queued = fmax(0, queued - thread->queued_before);
        looked++;
    }
}

void company_note(struct sample_recording *recording, struct accounts_computer before,
                  struct accounts_computer after)
{
    double all = after.all - before.all;
    if (all > 0 && recording->cpu_seconds >= 0)
        recording->others_share = fmin(1, fmax(0, (after.busy - before.busy - recording->cpu_seconds) / all));
}
