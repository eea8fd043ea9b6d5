/* Rows of denormal_samples (profile_samples.c). */
#ifndef DENORMAL_PROFILE_SAMPLES_H
#define DENORMAL_PROFILE_SAMPLES_H
#include "denormal/profile_read.h"
#include "watch/unwind.h"

struct profile_samples {
    struct model *model;
    const struct array *modules; /* matched: in order of their addresses */
    struct watch_unwinder *unwinder;
    const char *program; /* path */
    uint32_t process, run, first_phase;
    bool is_64;
};
/* A profile_visit; the context is a struct profile_samples. */
void profile_add_sample(void *context, const struct dip_sample *sample);
#endif
