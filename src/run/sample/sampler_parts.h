/* What running a program and watching a process share. */
#ifndef RUN_SAMPLE_SAMPLER_PARTS_H
#define RUN_SAMPLE_SAMPLER_PARTS_H
#include "run/sample/sampler.h"

/* Before samples are taken: host, processor, command (copied), and the events that are counted. */
void sampler_describe(struct sample_recording *recording, const char *const *words,
                      const struct sampler_options *options);
#endif
