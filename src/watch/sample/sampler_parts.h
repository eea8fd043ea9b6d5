/* What running a program and watching a process share. */
#ifndef WATCH_SAMPLE_SAMPLER_PARTS_H
#define WATCH_SAMPLE_SAMPLER_PARTS_H
#include "watch/sample/sampler.h"

/* Before samples are taken: host, processor, command (copied), and the events that are counted. */
void sampler_describe(struct sample_recording *recording, const char *const *words,
                      const struct sampler_options *options);
#endif
