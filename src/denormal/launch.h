/* How a program is started under the profiler or the tracer: its words, its environment, and what both need
   in the folder of the recordings. */
#ifndef DENORMAL_LAUNCH_H
#define DENORMAL_LAUNCH_H
#include "denormal/denormal.h"
#include "watch/program.h"

/* Completes an empty launch. */
bool denormal_prepare(struct watch_launch *launch, const struct denormal_options *options,
                      const struct watch_program *program, const char *folder, struct error *error);
#endif
