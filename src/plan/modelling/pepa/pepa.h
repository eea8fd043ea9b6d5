/* PEPA, Hillston's process algebra for performance: a file becomes a model, a model becomes a Markov chain
   (or differential equations), and these answer questions.

   The steps, each a file or two, and each usable alone:

       text ─► syntax (tokens.c, parse.c, rates.c)    definitions, rates, the system equation
            ─► structure (local.c, structure.c)       sequential components as automata, in a tree
                                                      of cooperations
            ─► space (derive.c, space.c)              reachable states and their transitions, sparse
            ─► equivalence.c, lump.c                  classes of equivalent states, if asked for
            ─► steady.c, transient.c, passage.c       probabilities
            ─► measures.c                             throughputs, populations
       structure ─► fluid.c                           the same for large populations, by differential
                                                      equations

   Rates are those that the definition of PEPA gives: a component's apparent rate of an action is the sum over
   its activities of that type; in a cooperation the slower side sets the pace, and each side's activities
   keep their relative probabilities; T is faster than any rate, and its weights say how passive activities
   share. */
#ifndef PLAN_MODELLING_PEPA_PEPA_H
#define PLAN_MODELLING_PEPA_PEPA_H
#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- syntax ---- */

struct pepa_place {
    uint32_t line, column;
};

struct pepa_rate {
    double value;    /* events per second; of a passive one its weight */
    bool is_passive; /* T */
};

enum pepa_kind {
    pepa_NAME,        /* of a definition */
    pepa_STOP,        /* Stop, where nobody defines it: does nothing */
    pepa_PREFIX,      /* (action, rate).left */
    pepa_CHOICE,      /* left + right */
    pepa_COOPERATION, /* left <set> right */
    pepa_HIDING,      /* left / {set} */
    pepa_REPLICAS,    /* left[count]<set> */
};

enum { pepa_NONE = UINT32_MAX };

struct pepa_term {
    enum pepa_kind kind;
    uint32_t name;        /* NAME: index of the definition; PREFIX: the action */
    uint32_t left, right; /* terms that stand before this one in the table */
    uint32_t set, set_count;
    bool is_all; /* COOPERATION <*>: all actions that both sides have */
    uint32_t count;
    struct pepa_rate rate;
    uint32_t depth;
    struct pepa_place place;
};

struct pepa_definition {
    string_id name;
    uint32_t term; /* pepa_NONE: a name that is used and never defined */
    struct pepa_place place;
    bool is_used;
};

struct pepa_constant { /* a rate or a number with a name */
    string_id name;
    double value;
    bool is_passive, is_known, is_open, is_used;
    size_t first, last; /* tokens of its expression */
    struct pepa_place place;
};

struct pepa_warning {
    struct pepa_place place;
    char *text;
};

struct pepa_model {
    char *path;
    struct strings names;
    struct array actions;     /* of string_id; the first is tau */
    struct array terms;       /* of struct pepa_term */
    struct array sets;        /* of uint32_t: actions of sets, one set after the other */
    struct array definitions; /* of struct pepa_definition */
    struct array constants;   /* of struct pepa_constant */
    struct array warnings;    /* of struct pepa_warning */
    struct array numbers[3]; /* of uint32_t, by string_id: which action, definition or constant has this name,
                                plus 1 */
    uint32_t system;         /* the term of the system equation */
};
enum pepa_names { pepa_ACTIONS, pepa_DEFINITIONS, pepa_CONSTANTS };
/* pepa_NONE: none. */
uint32_t pepa_find(const struct pepa_model *model, enum pepa_names kind, string_id name);

/* settings: "name=value" words that replace the values of constants; NULL: none.  NULL: the error has the
   file, line and column. */
struct pepa_model *pepa_read(const char *path, const char *const *settings, size_t setting_count,
                             struct error *error);
struct pepa_model *pepa_parse(const char *path, const char *text, size_t size, const char *const *settings,
                              size_t setting_count, struct error *error);
void pepa_free(struct pepa_model *model);
/* Sets the error at a place of the file.  Returns false. */
bool pepa_complain(const struct pepa_model *model, struct pepa_place place, struct error *error,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void pepa_warn(struct pepa_model *model, struct pepa_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A term as text, at most so many bytes; to be freed. */
char *pepa_term_text(const struct pepa_model *model, uint32_t term, size_t most);
#define PEPA_TERM(model, index) ARRAY_AT(struct pepa_term, &(model)->terms, index)
#define PEPA_DEFINITION(model, index) ARRAY_AT(struct pepa_definition, &(model)->definitions, index)

/* ---- structure ---- */

/* Labels: 2 * action, plus 1 where the action is hidden: it is tau to all others, but keeps its name for us.
 */
typedef uint32_t pepa_label;
char *pepa_label_text(const struct pepa_model *model,
                      pepa_label label); /* "serve", "tau (serve)"; to be freed */

struct pepa_step { /* of an automaton */
    pepa_label label;
    uint32_t target;
    struct pepa_rate rate;
};
struct pepa_part { /* what a local state counts for: so many of this local state of this component */
    uint32_t component, state;
    double count;
};
struct pepa_local_state {
    char *name;
    uint32_t first_step, step_count;
    uint32_t first_part, part_count;
};
struct pepa_automaton {
    struct array states; /* of struct pepa_local_state; 0 is where it starts */
    struct array steps;  /* of struct pepa_step */
    struct array parts;  /* of struct pepa_part; empty for a sequential component, whose states are its own */
};

/* What measures are told of: a sequential component where it stands in the system equation, or replicas. */
struct pepa_component {
    char *name; /* "Client[20]" */
    uint32_t automaton;
    double count; /* how many there are in all */
};

struct pepa_group { /* count copies of an automaton that cooperate on a set; copies cannot be told apart */
    uint32_t automaton, count;
    uint32_t component;      /* pepa_NONE: its automaton's parts say which */
    uint32_t set, set_count; /* of struct pepa_structure */
    uint32_t slot; /* first of its slots: one that holds the local state, or one for each local state
                      with how many copies are in it, where count > 1 */
};
struct pepa_node {
    enum pepa_kind kind; /* NAME: a group; COOPERATION; HIDING */
    uint32_t left, right;
    uint32_t group;
    uint32_t set, set_count;
};
struct pepa_structure {
    const struct pepa_model *model;
    struct array automata;   /* of struct pepa_automaton */
    struct array components; /* of struct pepa_component */
    struct array groups;     /* of struct pepa_group */
    struct array nodes;      /* of struct pepa_node; children before parents, the last is the root */
    struct array sets;       /* of uint32_t: actions */
    uint32_t slot_count;
    uint8_t *
        lost; /* of each population of struct pepa_measures: equivalent states do not agree on it; NULL: none is */
    size_t lost_count;
};

struct pepa_limits {
    uint64_t most_states; /* 0: the usual ones */
    bool is_expanded;     /* replicas are told apart: no aggregation */
    bool is_lumped;       /* equivalent states of parts that are replicated are one */
};
enum { PEPA_USUAL_STATES = 10000000 };

struct pepa_structure *pepa_build(struct pepa_model *model, const struct pepa_limits *limits,
                                  struct error *error);
void pepa_structure_free(struct pepa_structure *structure);
#define PEPA_AUTOMATON(structure, index) ARRAY_AT(struct pepa_automaton, &(structure)->automata, index)
#define PEPA_GROUP(structure, index) ARRAY_AT(struct pepa_group, &(structure)->groups, index)
#define PEPA_COMPONENT(structure, index) ARRAY_AT(struct pepa_component, &(structure)->components, index)

/* ---- space ---- */

struct pepa_space {
    const struct pepa_structure *structure;
    uint32_t count;    /* states; 0 is the initial one */
    uint32_t lumped;   /* how many there were before equivalent ones became one; 0: they did not */
    unsigned words;    /* of a packed state */
    uint64_t *packed;  /* count * words */
    uint64_t *rows;    /* count + 1: where the transitions of a state begin */
    uint32_t *targets; /* of transitions; a state's own number for a self-loop */
    double *rates;
    pepa_label *labels;
    struct array held[3]; /* the memory of these three */
    struct pepa_packing *packing;
};
struct pepa_space *pepa_explore(const struct pepa_structure *structure, const struct pepa_limits *limits,
                                struct error *error);
void pepa_space_free(struct pepa_space *space);
/* slots: of structure->slot_count. */
void pepa_space_slots(const struct pepa_space *space, uint32_t state, int32_t *slots);
/* How many copies of a group are in each of its local states, from slots. */
void pepa_group_counts(const struct pepa_structure *structure, const struct pepa_group *group,
                       const int32_t *slots, double *counts);
/* "Client[2]: 1 Think, 1 Wait; Server: Idle"; to be freed. */
char *pepa_slots_text(const struct pepa_structure *structure, const int32_t *slots);
char *pepa_state_text(const struct pepa_space *space, uint32_t state);
/* The same for a part of a system: passive transitions are allowed, and have their weights as negative rates.
 */
struct pepa_space *pepa_explore_part(const struct pepa_structure *structure, const struct pepa_limits *limits,
                                     struct error *error);
/* Equivalent states become one (lump.c).  passage: words of a passage, whose ends stay apart, or NULL. */
bool pepa_lump(struct pepa_space *space, struct pepa_structure *structure, const char *passage,
               struct error *error);
/* Whether two systems are strongly equivalent: nobody can tell them apart (same.c). */
struct
    pepa_difference { /* where they are not: after these steps one does the action at another rate than the other */
    struct array steps; /* of char *: names of actions */
    char *action;       /* NULL: not found, because it is too far away */
    double rates[2];    /* 0: it does not do it */
    char *states[2];
};
bool pepa_compare(const struct pepa_space *one, const struct pepa_space *other, bool *is_same,
                  struct pepa_difference *difference, struct error *error);
void pepa_difference_free(struct pepa_difference *difference);
/* Sets the error after Ctrl-C (base/interrupt.h).  Returns false. */
bool pepa_stopped(struct error *error);

/* ---- probabilities ---- */

struct pepa_classes { /* strongly connected components that are never left */
    uint32_t count;
    uint32_t *of;       /* of each state: its bottom class, or pepa_NONE for a state that is left for good */
    uint32_t transient; /* states of no bottom class */
    uint32_t *first, *size; /* of each class: a state of it, and how many there are */
    double *probability;    /* of ending there, from the initial state; filled by pepa_steady */
};
struct pepa_steady {
    double *probability; /* of each state, in the long run from the initial state */
    struct pepa_classes classes;
    uint64_t sweeps;    /* of the iteration; 0: solved directly */
    double residual;    /* what flows in and out of states too much or too little, as a share of all flow */
    const char *method; /* in words */
};
bool pepa_steady(const struct pepa_space *space, struct pepa_steady *steady, struct error *error);
void pepa_steady_free(struct pepa_steady *steady);

/* ---- measures ---- */

struct pepa_measures {
    struct array throughputs; /* of double, by label: 2 * actions */
    struct array populations; /* of double, by component and state: see pepa_population */
    struct array offsets;     /* of uint32_t, by component: its first population */
};
struct pepa_measures pepa_measures_new(const struct pepa_structure *structure);
void pepa_measure(const struct pepa_space *space, const double *probability, struct pepa_measures *measures);
void pepa_measures_free(struct pepa_measures *measures);
/* Adds so many copies of a group in a local state. */
void pepa_measures_populate(const struct pepa_structure *structure, const struct pepa_group *group,
                            uint32_t state, double count, struct pepa_measures *measures);
static inline double *pepa_population(const struct pepa_measures *measures, uint32_t component,
                                      uint32_t state)
{
    return ARRAY_AT(double, &measures->populations,
                    *ARRAY_AT(uint32_t, &measures->offsets, component) + state);
}

/* Measures at moments: the transient, and the fluid approximation. */
struct pepa_curve {
    struct array times;   /* of double */
    struct array moments; /* of struct pepa_measures */
    double error;         /* bound of the error of each probability (transient); NaN: none is known */
    uint64_t steps;
    const char *method;
};
bool pepa_transient(const struct pepa_space *space, double until, unsigned points, struct pepa_curve *curve,
                    struct error *error);
bool pepa_fluid(const struct pepa_structure *structure, double until, unsigned points,
                struct pepa_curve *curve, struct error *error);
void pepa_curve_free(struct pepa_curve *curve);

/* ---- passage times ---- */

struct pepa_passage {
    double mean, deviation;
    double reached;                     /* probability of ever getting there */
    struct array times, density, share; /* of double: moments, pdf, cdf */
    struct array levels, quantiles;     /* of double: 0.5, 0.9 …; NaN where it is not reached */
    uint64_t steps;
    double error; /* bound of the error of the cdf */
};
/* words: "FROM -> TO".  FROM empty: the initial state; a name of an action: just after it; else a condition
   on local states.  TO the same: until the action is done, or the condition holds.  until 0: as long as it
   takes. */
bool pepa_passage(const struct pepa_space *space, const struct pepa_steady *steady, const char *words,
                  double until, unsigned points, struct pepa_passage *passage, struct error *error);
void pepa_passage_free(struct pepa_passage *passage);
#endif
