/* How a program is started under the profiler or the tracer: its words, its environment, and what both need
   in the folder of the recordings. */
#ifndef RUN_DENORMAL_LAUNCH_H
#define RUN_DENORMAL_LAUNCH_H
#include "run/denormal/denormal.h"
#include "run/launch/program.h"

/* Completes an empty launch. */
bool denormal_prepare(struct launch *launch, const struct denormal_options *options,
                      const struct launch_program *program, const char *folder, struct error *error);
#endif
