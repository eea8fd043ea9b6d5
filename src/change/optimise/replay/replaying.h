/* One run of the replay program: linked (link.c), told what to do, and its answer read (replaying.c). */
#ifndef CHANGE_OPTIMISE_REPLAY_REPLAYING_H
#define CHANGE_OPTIMISE_REPLAY_REPLAYING_H
#include "change/optimise/replay/codelet.h"
#include "change/optimise/replay/draft.h"
#include "base/memory_file.h"
#include "runtime/replay/plan_file.h"

struct replay_outcome {
    struct replay_answer answer;
    struct array touched; /* of struct replay_touched */
};

/* The program for a variant. */
struct replay_image {
    struct memory_file file;
    uint64_t variant;    /* address of its function; 0: there is none */
    struct array copies; /* of struct replay_copy */
    /* Names that the process does not have: each has an address where nothing is, MISSING_DISTANCE after the
       one before, so that whoever uses one is ended, and told. */
    struct array missing; /* of char * */
    uint64_t first_missing;
};
enum { MISSING_DISTANCE = 16, MISSING_BYTES = 1 << 16 };
struct link_request {
    const struct codelet *codelet;
    const char *runtime;
    const char *object, *function, *source; /* object NULL: the original alone */
};
/* *is_unlinked: the variant needs what the process does not have; the error says what. */
bool link_image(const struct link_request *request, struct replay_image *image, bool *is_unlinked,
                struct error *error);
void link_free(struct replay_image *image);

struct replaying {
    const struct codelet *codelet;
    int file; /* of the codelet */
    struct replay_image *image;
    double tolerance, ulps, budget, patience;
    int processor; /* -1: any */
    bool wants_touched;
};
/* false: it could not be run, or the original cannot be replayed: the error says why. */
bool replaying_run(const struct replaying *replaying, struct replay_outcome *outcome, struct error *error);
bool replaying_original(const struct codelet *codelet, int file, const char *runtime, double budget,
                        struct replay_outcome *outcome, struct error *error);
void replaying_free(struct replay_outcome *outcome);
/* replay_words.c: why a call did not come back; to be freed. */
char *replaying_end_words(const struct codelet *codelet, const struct replay_image *image,
                          const struct replay_answer *answer);
/* "argument 2 (v), element 17: 3.5 instead of 3.25"; to be freed. */
char *replaying_difference_words(const struct codelet *codelet, const struct replay_answer *answer);

/* trim.c: the codelet without memory that the call does not touch; and into its place. */
bool replaying_trim(const struct codelet *whole, const struct replay_outcome *outcome, struct draft *trimmed,
                    struct error *error);
bool replaying_save(struct draft *draft, const char *path, struct error *error);
#endif
