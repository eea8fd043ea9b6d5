/* The recording of a process by the profiler, checked: between its file
   (runtime/denormal-profile/profile_file.h) and the rows that profile.c makes of it. All values here are in
   range, whatever the file contains. */
#ifndef RUN_DENORMAL_PROFILE_READ_H
#define RUN_DENORMAL_PROFILE_READ_H
#include "run/denormal/parts.h"

#include "runtime/denormal-profile/profile_file.h"

struct profile {
    char *path;
    int file; /* -1: not open; there may be more recordings than a process may have files */
    uint64_t size;
    struct profile_header header;
    struct array modules; /* of struct places_loaded, the program first, events counted */
    struct array phases;  /* of struct profile_phase: one at least, starts and ends in order */
    struct array sites;   /* of struct profile_site, by phase and address, each once; phases exist */
    struct profile_note notes[PROFILE_NOTE_COUNT];
    uint64_t end;     /* when the process ended, or the last sign of life */
    bool is_cut;      /* the file ends before its sections do */
    uint64_t damaged; /* invalid entries, which were skipped */
    uint64_t beyond;  /* entries beyond what is read at most */
};

/* false: it is not such a recording, or its header is damaged. */
bool profile_open(struct profile *profile, const char *path, struct error *error);
void profile_close(struct profile *profile);
/* profile.c: rows of what was read, whose modules get into another order. */
void profile_add(struct model *model, struct profile *profile, const struct denormal_recording *recording);

/* Samples, one by one: there may be many, and they are large.  The number of the phase is right, and so are
   all counts of bytes. */
typedef void profile_visit(void *context, const struct profile_sample *sample);
void profile_each_sample(struct profile *profile, profile_visit *visit, void *context);
#endif
