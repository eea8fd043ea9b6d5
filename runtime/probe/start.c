/* Start of the probe runtime in a process.

   The environment says what to do:
     ASSAY_PROBE_PLAN=FILE      the plan (plan_file.h)
     ASSAY_PROBE_FILE=PREFIX    the recording is PREFIX.PID (record_file.h)
   LD_PRELOAD names the library.  Without a usable plan, or without a recording, the program runs untouched.

   The library asks to be initialised first (-z initfirst), before libc, so the constructor gets the
   environment from the dynamic linker and not from getenv. */
#include "runtime/probe/probe.h"
#include "runtime/probe/real.h"

#include <sys/auxv.h>

const char *probe_prefix;

static const char *value_of(char **environment, const char *name)
{
    size_t length = text_length(name);
    for (; environment && *environment; environment++)
        if (bytes_equal(*environment, name, length) && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

__attribute__((constructor)) static void probe_start(int count, char **words, char **environment)
{
    (void)count;
    (void)words;
    const char *file = value_of(environment, "ASSAY_PROBE_PLAN");
    probe_prefix = value_of(environment, "ASSAY_PROBE_FILE");
    real();
    if (!file || !probe_prefix || !*probe_prefix || getauxval(AT_SECURE))
        return;
    page_bytes = getauxval(AT_PAGESZ) ? getauxval(AT_PAGESZ) : page_bytes;
    if (!plan_open(file) || !file_open(probe_prefix))
        return;
    calibrate_begin();
    if (!threads_begin()) {
        recording = NULL;
        return;
    }
    processes_begin();
    modules_patch();
    loading_begin();
    calibrate_clock();
}
