/* Start of the probe runtime in a process.

   The environment says what to do:
     ASSAY_PROBE_PLAN=FILE      the plan (plan_file.h)
     ASSAY_PROBE_FILE=PREFIX    the recording is PREFIX.PID (record_file.h)
   LD_PRELOAD names the library.  Without a usable plan, or without a recording, the program runs untouched.

   A program with nodes (nodes.c) is linked with the library and needs neither: without a plan in the
   environment its own is used, and without a name the recording is assay.PID.probe in the current directory.

   The library asks to be initialised first (-z initfirst), before libc, so the constructor gets the
   environment from the dynamic linker and not from getenv. */
#include "runtime/probe/probe.h"
#include "runtime/probe/real.h"

#include <sys/auxv.h>

const char *probe_prefix, *probe_suffix = "";

/* Nodes write events in any case. */
static bool find_plan(char **environment)
{
    const char *file = environment_value(environment, "ASSAY_PROBE_PLAN");
    bool is_secure = getauxval(AT_SECURE);
    probe_prefix = environment_value(environment, "ASSAY_PROBE_FILE");
    if (file)
        return probe_prefix && *probe_prefix && !is_secure && plan_open(file);
    if (!nodes_open())
        return false;
    threads_scrap();
    if (!probe_prefix || !*probe_prefix) {
        probe_prefix = "assay";
        probe_suffix = ".probe";
    }
    return !is_secure;
}

static void start(char **environment)
{
    static bool has_started;
    if (has_started)
        return;
    has_started = true;
    real();
    page_bytes = getauxval(AT_PAGESZ) ? getauxval(AT_PAGESZ) : page_bytes;
    if (!find_plan(environment) || !file_open(probe_prefix))
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

__attribute__((constructor)) static void probe_start(int count, char **words, char **environment)
{
    (void)count;
    (void)words;
    start(environment);
}

/* The node at the label of main calls it, so that a program with nodes cannot be linked without the library,
   and so that it has begun even where constructors were not run. */
PROBE_EXPORT void assay_probe_begin(void);
void assay_probe_begin(void)
{
    start(environ);
}
