/* How long a run takes, from what smaller runs and other runs took: the models of `assay predict`, as pure
   functions of numbers.

   A *case* is a program with one set of inputs: its probes, and what the whole run took where that is known.
   The *question* is a case whose whole run is not known. Models of every kind are fitted to the cases with
   whole runs, each is judged by leaving out one case after the other and predicting it from the rest, and
   the one that was wrong by the least answers the question. The width of its interval comes from the same
   errors. docs/prediction-models.md explains each kind, and what an interval promises.

   Everything works with logarithms of times: to be wrong by a factor of two counts the same in both
   directions, and estimates are never negative. Nothing is refused: what makes no sense (times below a
   nanosecond or above 10^12 seconds, factors that are not above one, NaN) counts as not known. */
#ifndef PLAN_PREDICT_MODEL_H
#define PLAN_PREDICT_MODEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_probe {
    double factor; /* how many times smaller in each direction; above 1 */
    bool is_identity;
    double seconds; /* NaN: it failed */
};

/* In the order of trust where errors are the same. */
enum model_kind {
    model_SEEN,        /* these very inputs were run before */
    model_MEAN,        /* nothing but other runs */
    model_BANDS,       /* position between the lower and the upper bound (thesis, 3.5.1) */
    model_POWER,       /* c · probe^a · size^b, with the ratio of a probe to its identity */
    model_NEAREST,     /* the runs whose probes looked alike: a median of them */
    model_FEATURES,    /* a product of powers of declared features */
    model_COMBINED,    /* probes and features together */
    model_EXTRAPOLATE, /* this question's own probes, where no whole run is known */
    model_NONE,        /* nothing is known at all */
    model_KIND_COUNT
};

struct model_case {
    uint64_t inputs; /* the same number: the same inputs (a hash of their digest); 0: unlike all others */
    double size;     /* of the whole inputs, in any unit that all cases share; NaN: not known */
    const double *features; /* feature_count of them; NaN: not known.  May be NULL */
    const struct model_probe *probes;
    size_t probe_count;
    double seconds;    /* of the whole run; NaN: not known */
    double directions; /* of the question: bytes shrink by factor^directions; 0 or NaN: not known */
    enum model_kind
        only; /* of the question: the kind to use where it can be fitted; model_SEEN: the best one */
};

extern const char *const model_kind_names[model_KIND_COUNT]; /* seen, mean, bands, power, … */

/* One kind, judged. */
struct model_judged {
    bool is_fitted;      /* false: there was nothing to fit it to, or the question lacks what it needs */
    double seconds;      /* what it answers */
    double error, worst; /* |predicted - measured| / measured, each run left out in turn: mean and largest;
                            NaN: too few runs */
    double loss;         /* mean ln(1 + |ln predicted - ln measured|): kinds are compared by this; NaN: too
                            few */
    unsigned runs;       /* cases with whole runs that it was fitted to */
    char *parameters;    /* as JSON; NULL where not fitted */
};

enum { MODEL_BAND_COUNT = 4 };

struct model_answer {
    double seconds, lower, upper; /* NaN: nothing known; upper INFINITY: nothing bounds it */
    enum model_kind kind;         /* the one that was used */
    double error, worst; /* as above, of the whole procedure: for each run left out, the kind and its form are
                            chosen anew, so that the choice does not flatter itself */
    unsigned runs, probes; /* whole runs of others that it was fitted to; usable probes of the question */
    bool is_beyond;        /* the question lies outside of what was seen: the interval is wider for it */
    unsigned band; /* 1 (fast) … 4 (slow): where the estimate falls among what was seen; 0: too few */
    double band_edges[MODEL_BAND_COUNT - 1]; /* seconds between them */
    struct model_judged judged[model_KIND_COUNT];
};

/* Cases may be in any order, may have the same inputs (they are left out together), and may lack whole runs
   (their probes still tell how probes scale).  The question's `seconds` is not looked at.  The answer is
   freed by model_answer_free. */
void model_predict(const struct model_case *cases, size_t count, unsigned feature_count,
                   const struct model_case *question, struct model_answer *answer);
void model_answer_free(struct model_answer *answer);
#endif
