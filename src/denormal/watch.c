/* Starts a program under the profiler or the tracer and waits for it. */
#include "denormal/parts.h"

bool denormal_can_trap(const char **why)
{
    *why = "it is not known yet whether this processor can";
    return false;
}

bool denormal_watch(const struct denormal_options *options, struct denormal_recording *recording,
                    struct error *error)
{
    *recording = (struct denormal_recording){.options = *options, .processes = ARRAY_OF(char *)};
    return error_set(error, NULL, "programs cannot be watched yet");
}

void denormal_forget(struct denormal_recording *recording)
{
    array_free(&recording->processes);
}
