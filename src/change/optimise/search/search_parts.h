/* What the files of the search share. */
#ifndef CHANGE_OPTIMISE_SEARCH_SEARCH_PARTS_H
#define CHANGE_OPTIMISE_SEARCH_SEARCH_PARTS_H
#include "base/hash_index.h"
#include "change/optimise/search/search.h"

/* A variant that was judged, in this call or an earlier one. */
struct trial {
    struct variant variant;
    char *text;
    struct judgement judgement; /* object NULL: of an earlier call */
    double score;               /* cycles of an iteration, with its part of what each entry costs */
    bool is_earlier;            /* of an earlier call */
};

struct search {
    const struct search_request *request;
    struct judge *judge;
    struct array trials;         /* of struct trial *, in the order they were judged */
    struct hash_index by_values; /* trials */
    struct array advice;         /* of char *: rules that speak about the loop */
    size_t distinct;
    int64_t row; /* in the ledger's searches; 0: none */
    double begin, end_static, end;
    uint64_t random;
    struct trial *best;
    const char *stage;
    bool has_stopped; /* by Ctrl-C, or the budget is spent */
    struct error error;
};

/* search_trials.c */
unsigned search_width(const struct search *search); /* how many choices there are */
bool search_is_allowed(const struct search *search, const unsigned char *values);
struct trial *search_find(const struct search *search, const unsigned char *values); /* NULL: not judged */
/* The user's own compilation; the first that is judged. */
struct trial *search_original(const struct search *search);
/* A usual set of options: the values that stand for these flags, with spaces between them, and what the user does
   to harm is undone where that is allowed; false: some flag is no value. */
bool search_set_usual(const struct search *search, const char *flags, unsigned char *values);
/* Adds a trial of an earlier call. */
void search_remember(struct search *search, const unsigned char *values, const struct judgement *judgement);
/* Judges those of `count` sets of values (one after the other) that are allowed and new, in order, until
   time is up. false: no more can be judged; the search goes on with what it has. */
bool search_judge(struct search *search, const unsigned char *values, size_t count);
/* How intrusive a variant is: its risks first, then how many choices differ from the user's. */
unsigned search_intrusion(const struct search *search, const struct variant *variant);
void search_trials_free(struct search *search);
struct variant search_copy(const struct search *search, const unsigned char *values);

/* search_stages.c */
void search_static(struct search *search, struct search_answer *answer);

struct finals {
    struct search *search;
    struct search_answer *answer;
    struct array ranked; /* of struct trial *: different code, in the order in which they are run */
    size_t next;         /* of ranked: the first that is no finalist yet */
};
/* search_choose.c: fills ranked. */
void finals_rank(struct finals *finals);
/* The next of ranked with cycles whose code is not there yet and that is not suspect; NULL: none is left. */
const struct trial *finals_next(struct finals *finals);
/* Whether a variant takes all the risks of a finalist whose results were wrong. */
bool finals_is_suspect(const struct finals *finals, const unsigned char *values);
/* search_finals.c */
bool search_finals(struct search *search, struct search_answer *answer, struct error *error);
/* Whether the original or a finalist has this code. */
bool finals_have_code(const struct finals *finals, const char *digest);
/* Makes a finalist of it, at the end; false: there is no object file. */
bool finals_add(struct finals *finals, const struct trial *trial, unsigned rank);
bool finals_measure(struct finals *finals, struct search_finalist *finalist, double seconds);
/* Seconds for each of so many measurements, of the time that is left. */
double finals_share_of_time(const struct finals *finals, size_t count);
void finals_tell(const struct finals *finals, size_t done, size_t count);

/* search_neighbours.c: judges and measures neighbours of the fastest measured, more finalists. */
void search_neighbours(struct finals *finals);

/* search_ledger.c: false: the error of the search is set. */
bool search_ledger_begin(struct search *search, struct error *error);
bool search_ledger_add(struct search *search, struct trial *const *trials, size_t count, struct error *error);
bool search_ledger_measured(struct search *search, const struct search_finalist *finalist,
                            struct error *error);
#endif
