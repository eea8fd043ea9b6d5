/* The rounds, without machine code: which mixes are measured, and what their times say.

   A form that is one µop and takes 1/k cycles has k ports.  Two of them, each so often that it takes n cycles
   alone, take n if they have no port in common, and n (k + l) / (k + l - s) if they share s.  So pairs of
   candidates say how many ports any two of them share.  Candidates with the same ports are a class, and one
   of each class is its probe.

   A probe that is repeated until it takes longer than anything else in the mix keeps its k ports busy: what a
   form adds is (its µops that have no other ports) / k cycles.

   Whoever measures is not known here: `measure` looks results up, and a test can compute them. */
#ifndef RUN_BENCH_PORTS_STUDY_H
#define RUN_BENCH_PORTS_STUDY_H
#include "base/memory.h"
#include "run/bench/ports/groups.h"
#include "run/bench/ports/mix.h"

enum { MOST_CANDIDATES = 96 };

/* A form as far as rounds are concerned. */
struct subject {
    double cycles;     /* of an instance alone; NaN: not measured */
    double chain;      /* the same in a mix, where nothing breaks its chains: not less */
    double latency;    /* of what it adds to; 0: nothing */
    uint32_t likeness; /* candidates that look alike have the same number; 0: not a candidate */
    unsigned burden;   /* what may slow it down beside its ports: the less, the better a probe it is */
    uint32_t family;   /* forms of one operation on other operands: only one of those that look alike */
    unsigned row;      /* instances come in multiples of this: stores that fill lines; 0: any number */
    bool is_common;    /* comes first */
    bool is_filler;    /* does nothing: it shows what else takes places of issue */
    bool has_memory;   /* loads or stores */
    bool has_store;    /* one place of issue is an address and its data */
};

/* Cycles of a mix; NaN: there is no result. */
typedef double study_measure(void *context, const struct mix *mix);

struct candidate {
    unsigned subject;
    unsigned ports;  /* how many */
    double cycles;   /* of an instance alone, measured beside the pairs */
    unsigned class_; /* NO_CLASS where it fits none */
};
enum { NO_CLASS = ~0u };

struct study {
    const struct subject *subjects;
    size_t count;
    study_measure *measure;
    void *context;
    double width;    /* instructions a cycle, the most that was seen */
    unsigned filler; /* the one that is issued fastest */
    bool has_filler;
    struct candidate candidates[MOST_CANDIDATES];
    unsigned candidate_count;
    /* Of candidates: time of two that take equally long alone, divided by that; NaN: not known. */
    double ratio[MOST_CANDIDATES][MOST_CANDIDATES];
    unsigned probes[MOST_CLASSES];   /* a candidate of each class */
    unsigned members[MOST_CLASSES];  /* candidates of the class */
    struct groups groups;            /* the ports of each class */
    struct mix threes[MOST_TRIPLES]; /* of the probes that pairs alone give */
    unsigned three_count;
    unsigned crowd[3]; /* classes that fill most places of issue, any two of them */
    bool has_crowd;
};

/* Candidates, from throughputs. */
void study_begin(struct study *study, const struct subject *subjects, size_t count, study_measure *measure,
                 void *context);
/* Appends mixes (struct mix). */
void study_plan_pairs(const struct study *study, struct array *mixes);
/* Classes and probes, from pairs, and from threes where they have results; false: not one pair has a result.
 */
bool study_find_probes(struct study *study);
/* Three probes at once, any two of which share ports: after study_find_probes. */
void study_plan_threes(const struct study *study, struct array *mixes);
void study_plan_forms(const struct study *study, struct array *mixes);
/* Every form beside two probes of the crowd: for cores whose no-ops do not show places of issue. */
void study_plan_places(const struct study *study, struct array *mixes);

/* So many instances of a form, or a few more, so that its stores fill lines. */
unsigned study_instances(const struct study *study, unsigned subject, unsigned instances);

/* The mixes themselves: a candidate with itself is alone.  false: there is none, because the probe takes all
 * places of issue. */
struct mix study_pair(const struct study *study, unsigned a, unsigned b);
/* Of a form alone: it may have more registers and addresses here than in the first round. */
bool study_alone(const struct study *study, unsigned form, struct mix *mix);
unsigned study_probe(const struct study *study, unsigned class); /* its subject */
bool study_form_mix(const struct study *study, unsigned form, unsigned probe, struct mix *mix);
/* Both equally long, where the mix above took longer than its parts: some ports show only here, those that a
   busy probe does not keep full.  false: there is none, or it is not known yet. */
bool study_even_mix(const struct study *study, unsigned form, unsigned probe, struct mix *mix);
/* A form beside two probes of the crowd, which leave it few places of issue: without `which` of the three. */
bool study_places_mix(const struct study *study, unsigned form, unsigned which, struct mix *mix);
/* What a mix takes at least, by its parts alone. */
double study_least_cycles(const struct study *study, const struct mix *mix);
#endif
