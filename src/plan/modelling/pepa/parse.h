/* What parse.c and model.c share. */
#ifndef PLAN_MODELLING_PEPA_PARSE_H
#define PLAN_MODELLING_PEPA_PARSE_H
#include "plan/modelling/pepa/tokens.h"

/* Adds a term; its depth is that of its parts plus one.  false: too deep. */
bool pepa_term_add(struct pepa_model *model, struct pepa_term term, uint32_t *index, struct error *error);
/* The action of this name, which is new perhaps. */
uint32_t pepa_action(struct pepa_model *model, string_id name);

/* skeletons.c: what stands for a construct that has a name. */
enum pepa_skeletons { pepa_PIPELINE, pepa_FARM, pepa_DEAL };
struct pepa_activity {
    string_id action; /* its name: what hands on is numbered, so the model need not have it */
    struct pepa_rate rate;
    uint32_t count; /* copies that do it */
};
/* by: how it is handed on; a pipeline has one. */
bool pepa_skeleton(struct pepa_model *model, enum pepa_skeletons kind, const struct pepa_activity *stages,
                   uint32_t count, const struct pepa_activity by[2], struct pepa_place place, uint32_t *index,
                   struct error *error);

void pepa_name(struct pepa_model *model, enum pepa_names kind, string_id name, uint32_t index);
/* The term from token first on; the token after it must be last. */
bool pepa_parse_term(struct pepa_model *model, const struct array *tokens, size_t first, size_t last,
                     uint32_t *term, struct error *error);
#endif
