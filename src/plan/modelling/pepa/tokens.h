/* The words of a PEPA file, each with its place. */
#ifndef PLAN_MODELLING_PEPA_TOKENS_H
#define PLAN_MODELLING_PEPA_TOKENS_H
#include "plan/modelling/pepa/pepa.h"

enum pepa_token_kind {
    token_END,
    token_WORD,
    token_NUMBER,
    token_PASSIVE,  /* T, infty, ⊤ */
    token_PARALLEL, /* || */
    token_SIGN,     /* one character */
};

struct pepa_token {
    uint8_t kind;
    char sign;
    string_id word; /* WORD and NUMBER: as it is written */
    double number;
    struct pepa_place place;
};

/* Fills tokens (of struct pepa_token), which end with token_END. */
bool pepa_tokens(struct pepa_model *model, const char *text, size_t size, struct array *tokens,
                 struct error *error);
/* What stands there, for messages; to be freed. */
char *pepa_token_text(const struct pepa_model *model, const struct pepa_token *token);

/* A rate or a number from the tokens first … last - 1.  Sets *end to the token after it. */
struct pepa_value {
    double value;
    bool is_passive;
};
bool pepa_evaluate(struct pepa_model *model, const struct array *tokens, size_t first, size_t *end,
                   struct pepa_value *value, struct error *error);
/* Values of all constants; an error for those that refer to themselves. */
bool pepa_evaluate_constants(struct pepa_model *model, const struct array *tokens, struct error *error);
#endif
