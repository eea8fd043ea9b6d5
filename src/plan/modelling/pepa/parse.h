/* What parse.c and model.c share. */
#ifndef PLAN_MODELLING_PEPA_PARSE_H
#define PLAN_MODELLING_PEPA_PARSE_H
#include "plan/modelling/pepa/tokens.h"

void pepa_name(struct pepa_model *model, enum pepa_names kind, string_id name, uint32_t index);
/* The term from token first on; the token after it must be last. */
bool pepa_parse_term(struct pepa_model *model, const struct array *tokens, size_t first, size_t last,
                     uint32_t *term, struct error *error);
#endif
