/* Rates: numbers, names of numbers and the four operations, with T for a passive one.  `2*T` is a passive
   rate of weight 2.  Constants may be used before they are defined; one that needs itself is an error. */
#include "base/nearest.h"
#include "plan/modelling/pepa/tokens.h"

#include <math.h>
#include <stdlib.h>

enum { DEEPEST = 500 };

struct evaluation {
    struct pepa_model *model;
    const struct array *tokens;
    size_t at;
    unsigned depth;
    struct error *error;
};

static bool sum(struct evaluation *evaluation, struct pepa_value *value);

static const struct pepa_token *now(const struct evaluation *evaluation)
{
    return ARRAY_AT(struct pepa_token, evaluation->tokens, evaluation->at);
}

static bool takes(struct evaluation *evaluation, char sign)
{
    if (now(evaluation)->kind != token_SIGN || now(evaluation)->sign != sign)
        return false;
    evaluation->at++;
    return true;
}

static struct pepa_constant *find(const struct pepa_model *model, string_id name)
{
    uint32_t index = pepa_find(model, pepa_CONSTANTS, name);
    return index == pepa_NONE ? NULL : ARRAY_AT(struct pepa_constant, &model->constants, index);
}

static bool unknown(struct evaluation *evaluation, const struct pepa_token *token)
{
    const char *name = strings_text(&evaluation->model->names, token->word);
    struct nearest nearest = {.wanted = name};
    for (size_t i = 0; i < evaluation->model->constants.count; i++)
        nearest_offer(&nearest,
                      strings_text(&evaluation->model->names,
                                   ARRAY_AT(struct pepa_constant, &evaluation->model->constants, i)->name));
    pepa_complain(evaluation->model, token->place, evaluation->error,
                  nearest.best ? "the rate %s is not defined; did you mean %s?"
                               : "the rate %s is not defined: add a line `%s = 1.0;`",
                  name, nearest.best ? nearest.best : name);
    free(nearest.best);
    return false;
}

static bool constant(struct evaluation *evaluation, struct pepa_constant *found)
{
    if (found->is_known)
        return true;
    if (found->is_open || evaluation->depth > DEEPEST)
        return pepa_complain(evaluation->model, found->place, evaluation->error,
                             found->is_open ? "the rate %s is defined by itself"
                                            : "the rate %s depends on too many others, one after the other",
                             strings_text(&evaluation->model->names, found->name));
    struct evaluation inner = *evaluation;
    struct pepa_value value;
    inner.at = found->first;
    inner.depth++;
    found->is_open = true;
    if (!sum(&inner, &value))
        return false;
    if (inner.at != found->last) {
        char *text = pepa_token_text(inner.model, now(&inner));
        pepa_complain(inner.model, now(&inner)->place, inner.error, "expected an operator or ';', not %s",
                      text);
        free(text);
        return false;
    }
    found->is_open = false;
    found->is_known = true;
    found->value = value.value;
    found->is_passive = value.is_passive;
    return true;
}

static bool primary(struct evaluation *evaluation, struct pepa_value *value)
{
    const struct pepa_token *token = now(evaluation);
    if (++evaluation->depth > DEEPEST)
        return pepa_complain(evaluation->model, token->place, evaluation->error, "nested too deeply");
    bool is_fine = true;
    if (token->kind == token_NUMBER || token->kind == token_PASSIVE) {
        *value = (struct pepa_value){token->kind == token_NUMBER ? token->number : 1,
                                     token->kind == token_PASSIVE};
        evaluation->at++;
    } else if (token->kind == token_WORD) {
        struct pepa_constant *found = find(evaluation->model, token->word);
        evaluation->at++;
        is_fine = found ? constant(evaluation, found) : unknown(evaluation, token);
        if (is_fine) {
            found->is_used = true;
            *value = (struct pepa_value){found->value, found->is_passive};
        }
    } else if (takes(evaluation, '-')) {
        is_fine = primary(evaluation, value);
        value->value = -value->value;
    } else if (takes(evaluation, '(')) {
        is_fine = sum(evaluation, value) &&
                  (takes(evaluation, ')') || pepa_complain(evaluation->model, now(evaluation)->place,
                                                           evaluation->error, "expected ')' in this rate"));
    } else {
        char *text = pepa_token_text(evaluation->model, token);
        is_fine = pepa_complain(evaluation->model, token->place, evaluation->error,
                                "expected a number, the name of a rate or T, not %s", text);
        free(text);
    }
    evaluation->depth--;
    return is_fine;
}

static bool product(struct evaluation *evaluation, struct pepa_value *value)
{
    if (!primary(evaluation, value))
        return false;
    for (;;) {
        const struct pepa_token *sign = now(evaluation);
        struct pepa_value other;
        bool divides = sign->kind == token_SIGN && sign->sign == '/';
        if (!divides && !(sign->kind == token_SIGN && sign->sign == '*'))
            return true;
        evaluation->at++;
        if (!primary(evaluation, &other))
            return false;
        if ((value->is_passive && other.is_passive) || (divides && other.is_passive))
            return pepa_complain(evaluation->model, sign->place, evaluation->error,
                                 "T can be multiplied by a weight, and nothing else");
        if (divides && other.value == 0)
            return pepa_complain(evaluation->model, sign->place, evaluation->error, "division by zero");
        value->value = divides ? value->value / other.value : value->value * other.value;
        value->is_passive |= other.is_passive;
    }
}

static bool sum(struct evaluation *evaluation, struct pepa_value *value)
{
    if (!product(evaluation, value))
        return false;
    for (;;) {
        const struct pepa_token *sign = now(evaluation);
        struct pepa_value other;
        bool subtracts = sign->kind == token_SIGN && sign->sign == '-';
        if (!subtracts && !(sign->kind == token_SIGN && sign->sign == '+'))
            break;
        evaluation->at++;
        if (!product(evaluation, &other))
            return false;
        if (value->is_passive || other.is_passive)
            return pepa_complain(evaluation->model, sign->place, evaluation->error,
                                 "T cannot be added to a rate");
        value->value += subtracts ? -other.value : other.value;
    }
    return isfinite(value->value) || pepa_complain(evaluation->model, now(evaluation)->place,
                                                   evaluation->error, "this rate is too large for a number");
}

bool pepa_evaluate(struct pepa_model *model, const struct array *tokens, size_t first, size_t *end,
                   struct pepa_value *value, struct error *error)
{
    struct evaluation evaluation = {model, tokens, first, 0, error};
    bool is_fine = sum(&evaluation, value);
    *end = evaluation.at;
    return is_fine;
}

bool pepa_evaluate_constants(struct pepa_model *model, const struct array *tokens, struct error *error)
{
    struct evaluation evaluation = {model, tokens, 0, 0, error};
    for (size_t i = 0; i < model->constants.count; i++)
        if (!constant(&evaluation, ARRAY_AT(struct pepa_constant, &model->constants, i)))
            return false;
    return true;
}
