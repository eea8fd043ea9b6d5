/* A sampled run in the formats of other people's viewers: the call tree of the run (the table run_calls), with
   the processor time that each function spent in its own code under each chain of callers.

   A format is a function from such a profile to a stream; none of them knows the tables. */
#ifndef SHOW_REPORT_PROFILES_PROFILES_H
#define SHOW_REPORT_PROFILES_PROFILES_H
#include "base/error.h"
#include "base/strings.h"
#include "model/model.h"
#include <stdio.h>

struct profile_frame {
    const char *name;          /* as it is shown */
    const char *symbol;        /* as the file has it */
    const char *object, *file; /* the program or library; the source file; NULL: unknown */
    uint32_t line;             /* of the function; 0: unknown */
    uint32_t function;         /* row of functions; 0: its code was not read */
};

struct profile_stack {
    uint32_t caller; /* stack, with a lower number; 0: none */
    uint32_t frame;
    double self, total; /* seconds of processor time */
};

/* A line of a function, and its own time. */
struct profile_line {
    uint32_t frame;
    const char *file; /* NULL: that of its function */
    uint32_t line;    /* 0: unknown */
    double seconds;
};

struct profile {
    const char *command, *version; /* of the run; of Assay */
    double seconds;                /* wall-clock time of the run */
    double sampled_seconds;        /* processor time of all stacks */
    double period;                 /* seconds that a sample stands for */
    struct array frames, stacks;   /* of the structs above; entry 0 is none */
    struct array lines;            /* of struct profile_line, by frame and line */
    struct strings strings;
};

struct profile_format {
    const char *name;
    bool is_text;
    bool (*write)(const struct profile *profile, FILE *out, struct error *error);
};
/* NULL: there is none with this name. */
const struct profile_format *profile_format_named(const char *name);
/* "folded, speedscope, …", for messages. */
#define PROFILE_FORMATS "folded, speedscope, firefox, pprof, callgrind or hatchet"

/* The run of a model in a format. */
bool report_profile(const struct profile_format *format, const struct model *model, uint32_t run,
                    bool demangle, const char *version, FILE *out, struct error *error);

/* One file each. */
bool profile_folded(const struct profile *profile, FILE *out, struct error *error);
bool profile_speedscope(const struct profile *profile, FILE *out, struct error *error);
bool profile_firefox(const struct profile *profile, FILE *out, struct error *error);
bool profile_pprof(const struct profile *profile, FILE *out, struct error *error);
bool profile_callgrind(const struct profile *profile, FILE *out, struct error *error);
bool profile_hatchet(const struct profile *profile, FILE *out, struct error *error);
#endif
