/* Rows of denormal_samples (profile_samples.c). */
#ifndef RUN_DENORMAL_PROFILE_SAMPLES_H
#define RUN_DENORMAL_PROFILE_SAMPLES_H
#include "run/denormal/profile_read.h"
#include "run/places/unwind.h"

struct profile_samples {
    struct model *model;
    const struct array *modules; /* matched: in order of their addresses */
    struct places_unwinder *unwinder;
    const char *program; /* path */
    uint32_t process, run, first_phase;
    bool is_64;
};
/* A profile_visit; the context is a struct profile_samples. */
void profile_add_sample(void *context, const struct profile_sample *sample);
#endif
