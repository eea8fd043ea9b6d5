/* Components: from tokens to terms.

       cooperation  choice { <actions> choice | || choice }        to the left
       choice       hidden { + hidden }
       hidden       single { / {actions} | [number] [<actions>] }
       single       (action, rate).single  |  name  |  (cooperation)  |  skeleton
       skeleton     pipeline( (action, rate) [number] , … ) by (action, rate)
                    farm|deal( (action, rate), number ) by (action, rate), (action, rate)

   `P[3]<a>` has replicas that cooperate on a, but in `P[3]<a> Q` the set belongs to the cooperation with Q:
   what follows decides.  `P[3,{a}]` says the first without doubt.  Depth is limited, so that what walks
   through terms may recurse. */
#include "plan/modelling/pepa/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1500, MOST_REPLICAS = 1000000000, MOST_STAGES = 500, MOST_DEALT = 1000 };

struct parser {
    struct pepa_model *model;
    const struct array *tokens;
    size_t at;
    unsigned depth;
    struct error *error;
};

static bool cooperation(struct parser *parser, uint32_t *term);

static const struct pepa_token *ahead(const struct parser *parser, size_t distance)
{
    size_t at = parser->at + distance;
    return ARRAY_AT(struct pepa_token, parser->tokens,
                    at < parser->tokens->count ? at : parser->tokens->count - 1);
}

static bool is_sign(const struct parser *parser, size_t distance, char sign)
{
    const struct pepa_token *token = ahead(parser, distance);
    return token->kind == token_SIGN && token->sign == sign;
}

static bool takes(struct parser *parser, char sign)
{
    if (!is_sign(parser, 0, sign))
        return false;
    parser->at++;
    return true;
}

static bool expected(struct parser *parser, const char *what)
{
    char *text = pepa_token_text(parser->model, ahead(parser, 0));
    pepa_complain(parser->model, ahead(parser, 0)->place, parser->error, "expected %s, not %s", what, text);
    free(text);
    return false;
}

static bool needs(struct parser *parser, char sign, const char *what)
{
    return takes(parser, sign) || expected(parser, what);
}

bool pepa_term_add(struct pepa_model *model, struct pepa_term term, uint32_t *index, struct error *error)
{
    uint32_t parts[] = {term.left, term.right};
    for (unsigned i = 0; i < 2; i++)
        if (parts[i] != pepa_NONE && PEPA_TERM(model, parts[i])->depth >= term.depth)
            term.depth = PEPA_TERM(model, parts[i])->depth + 1;
    if (term.depth > DEEPEST)
        return pepa_complain(model, term.place, error,
                             "more than %d terms within each other: give parts of it names", DEEPEST);
    *index = (uint32_t)model->terms.count;
    *(struct pepa_term *)array_add(&model->terms) = term;
    return true;
}

static bool add(struct parser *parser, struct pepa_term term, uint32_t *index)
{
    return pepa_term_add(parser->model, term, index, parser->error);
}

uint32_t pepa_action(struct pepa_model *model, string_id name)
{
    uint32_t found = pepa_find(model, pepa_ACTIONS, name);
    if (found == pepa_NONE) {
        found = (uint32_t)model->actions.count;
        *(string_id *)array_add(&model->actions) = name;
        pepa_name(model, pepa_ACTIONS, name, found);
    }
    return found;
}

/* Actions up to a closing sign, which is taken, too. */
static bool set_of_actions(struct parser *parser, char closing, struct pepa_term *term)
{
    struct array *sets = &parser->model->sets;
    term->set = (uint32_t)sets->count;
    if (closing == '>' && takes(parser, '*'))
        term->is_all = true;
    else if (!is_sign(parser, 0, closing)) {
        do {
            const struct pepa_token *token = ahead(parser, 0);
            if (token->kind != token_WORD)
                return expected(parser, "the name of an action");
            uint32_t action = pepa_action(parser->model, token->word);
            if (!action)
                return pepa_complain(parser->model, token->place, parser->error,
                                     "tau cannot stand in a set: nobody else can see it");
            bool is_new = true;
            for (size_t i = term->set; i < sets->count; i++)
                is_new &= *ARRAY_AT(uint32_t, sets, i) != action;
            if (is_new)
                *(uint32_t *)array_add(sets) = action;
            if (sets->count - term->set > 2000)
                return pepa_complain(parser->model, token->place, parser->error,
                                     "more than 2000 actions in one set");
            parser->at++;
        } while (takes(parser, ','));
    }
    term->set_count = (uint32_t)(sets->count - term->set);
    return needs(parser, closing, closing == '>' ? "',' or '>' in this set" : "',' or '}' in this set");
}

static bool name(struct parser *parser, uint32_t *index)
{
    const struct pepa_token *token = ahead(parser, 0);
    struct pepa_model *model = parser->model;
    uint32_t found = pepa_find(model, pepa_DEFINITIONS, token->word);
    struct pepa_term term = {
        .kind = pepa_NAME, .name = found, .left = pepa_NONE, .right = pepa_NONE, .place = token->place};
    parser->at++;
    if (found == pepa_NONE) {
        if (!strcmp(strings_text(&model->names, token->word), "Stop")) {
            term.kind = pepa_STOP;
        } else {
            term.name = (uint32_t)model->definitions.count;
            struct pepa_definition *added = array_add(&model->definitions);
            *added = (struct pepa_definition){.name = token->word, .term = pepa_NONE, .place = token->place};
            pepa_name(model, pepa_DEFINITIONS, token->word, term.name);
        }
    }
    if (term.kind == pepa_NAME)
        PEPA_DEFINITION(model, term.name)->is_used = true;
    return add(parser, term, index);
}

/* (action, rate) */
static bool activity(struct parser *parser, string_id *action, struct pepa_rate *rate)
{
    struct pepa_value value;
    *action = ahead(parser, 1)->word;
    parser->at += 3; /* ( action , */
    struct pepa_place place = ahead(parser, 0)->place;
    if (!pepa_evaluate(parser->model, parser->tokens, parser->at, &parser->at, &value, parser->error))
        return false;
    if (!(value.value > 0))
        return pepa_complain(parser->model, place, parser->error, "a %s must be above 0; this one is %g",
                             value.is_passive ? "weight" : "rate", value.value);
    if (!(value.value >= 1e-100 && value.value <= 1e100))
        return pepa_complain(parser->model, place, parser->error,
                             "a %s must be from 1e-100 to 1e100; this one is %g",
                             value.is_passive ? "weight" : "rate", value.value);
    *rate = (struct pepa_rate){value.value, value.is_passive};
    return needs(parser, ')', "')' after the rate");
}

static bool begins_activity(const struct parser *parser)
{
    return is_sign(parser, 0, '(') && ahead(parser, 1)->kind == token_WORD && is_sign(parser, 2, ',');
}

static bool is_word(const struct parser *parser, size_t distance, const char *word)
{
    const struct pepa_token *token = ahead(parser, distance);
    return token->kind == token_WORD && !strcmp(strings_text(&parser->model->names, token->word), word);
}

static bool one_activity(struct parser *parser, struct pepa_activity *made)
{
    struct pepa_place place = ahead(parser, 0)->place;
    made->count = 1;
    if (!begins_activity(parser))
        return expected(parser, "(action, rate)");
    return activity(parser, &made->action, &made->rate) &&
           (pepa_find(parser->model, pepa_ACTIONS, made->action) != 0 ||
            pepa_complain(parser->model, place, parser->error,
                          "tau cannot stand here: nobody else can see it"));
}

/* How many do it, at most as many as there are names for them. */
static bool copies(struct parser *parser, uint32_t most, uint32_t *count)
{
    struct pepa_value value;
    struct pepa_place place = ahead(parser, 0)->place;
    if (!pepa_evaluate(parser->model, parser->tokens, parser->at, &parser->at, &value, parser->error))
        return false;
    if (value.is_passive || !(value.value >= 1) || value.value > most || value.value != floor(value.value))
        return pepa_complain(parser->model, place, parser->error,
                             "how many do it must be a whole number from 1 to %u, not %g", most, value.value);
    *count = (uint32_t)value.value;
    return true;
}

/* A word of a skeleton before a bracket: components cannot stand there. */
static bool is_skeleton(const struct parser *parser, enum pepa_skeletons *kind)
{
    static const char *const words[] = {"pipeline", "farm", "deal"};
    for (unsigned i = 0; i < 3; i++)
        if (is_word(parser, 0, words[i]) && is_sign(parser, 1, '(')) {
            *kind = (enum pepa_skeletons)i;
            return true;
        }
    return false;
}

static bool stages_of(struct parser *parser, enum pepa_skeletons kind, struct array *stages)
{
    do {
        struct pepa_activity *stage = array_add(stages);
        if (stages->count > MOST_STAGES)
            return pepa_complain(parser->model, ahead(parser, 0)->place, parser->error, "more than %d stages",
                                 MOST_STAGES);
        if (!one_activity(parser, stage))
            return false;
        if (kind == pepa_PIPELINE && takes(parser, '[') &&
            (!copies(parser, MOST_REPLICAS, &stage->count) ||
             !needs(parser, ']', "']' after how many do it")))
            return false;
        if (kind != pepa_PIPELINE)
            return needs(parser, ',', "',' and the number of workers") &&
                   copies(parser, kind == pepa_FARM ? MOST_REPLICAS : MOST_DEALT, &stage->count);
    } while (takes(parser, ','));
    return stages->count > 1 || expected(parser, "',' and the next stage of this pipeline");
}

static bool skeleton(struct parser *parser, enum pepa_skeletons kind, uint32_t *index)
{
    struct array stages = ARRAY_OF(struct pepa_activity);
    struct pepa_activity by[2] = {0};
    struct pepa_place place = ahead(parser, 0)->place;
    parser->at += 2;
    bool is_fine = stages_of(parser, kind, &stages) && needs(parser, ')', "')'");
    if (is_fine && !is_word(parser, 0, "by"))
        is_fine = expected(parser, "'by' and how it is handed on");
    parser->at += is_fine;
    is_fine = is_fine && one_activity(parser, &by[0]) &&
              (kind == pepa_PIPELINE ||
               (needs(parser, ',', "',' and how results are taken") && one_activity(parser, &by[1])));
    is_fine = is_fine && pepa_skeleton(parser->model, kind, stages.data, (uint32_t)stages.count, by, place,
                                       index, parser->error);
    array_free(&stages);
    return is_fine;
}

static bool single(struct parser *parser, uint32_t *index)
{
    struct array prefixes = ARRAY_OF(struct pepa_term);
    bool is_fine = true;
    enum pepa_skeletons kind;
    while (is_fine && begins_activity(parser)) {
        struct pepa_term *term = array_add(&prefixes);
        string_id action = ahead(parser, 1)->word;
        *term = (struct pepa_term){.kind = pepa_PREFIX,
                                   .name = pepa_action(parser->model, action),
                                   .right = pepa_NONE,
                                   .place = ahead(parser, 0)->place};
        is_fine = activity(parser, &action, &term->rate) &&
                  needs(parser, '.', "'.' and what follows this activity");
    }
    if (!is_fine) {
    } else if (is_skeleton(parser, &kind)) {
        is_fine = skeleton(parser, kind, index);
    } else if (ahead(parser, 0)->kind == token_WORD) {
        is_fine = name(parser, index);
    } else if (is_sign(parser, 0, '(')) {
        if (++parser->depth > DEEPEST)
            is_fine = pepa_complain(parser->model, ahead(parser, 0)->place, parser->error,
                                    "more than %d brackets within each other", DEEPEST);
        parser->at++;
        is_fine = is_fine && cooperation(parser, index) && needs(parser, ')', "')'");
        parser->depth--;
    } else {
        is_fine = expected(parser, prefixes.count ? "a component after '.'"
                                                  : "a component: a name, or (action, rate).NEXT");
    }
    for (size_t i = prefixes.count; is_fine && i-- > 0;) {
        struct pepa_term *term = ARRAY_AT(struct pepa_term, &prefixes, i);
        term->left = *index;
        is_fine = add(parser, *term, index);
    }
    array_free(&prefixes);
    return is_fine;
}

/* After `[`. */
static bool replicas(struct parser *parser, struct pepa_term *term)
{
    struct pepa_value value;
    struct pepa_place place = ahead(parser, 0)->place;
    if (!pepa_evaluate(parser->model, parser->tokens, parser->at, &parser->at, &value, parser->error))
        return false;
    if (value.is_passive || !(value.value >= 1) || value.value > MOST_REPLICAS ||
        value.value != floor(value.value))
        return pepa_complain(parser->model, place, parser->error,
                             "the number of replicas must be a whole number from 1 to %d, not %g",
                             MOST_REPLICAS, value.value);
    term->count = (uint32_t)value.value;
    term->set = (uint32_t)parser->model->sets.count;
    if (takes(parser, ',') && !(needs(parser, '{', "'{' and actions") && set_of_actions(parser, '}', term)))
        return false;
    if (!needs(parser, ']', "']' after the number of replicas"))
        return false;
    if (term->set_count || !is_sign(parser, 0, '<'))
        return true;
    size_t before = parser->at, sets_before = parser->model->sets.count;
    parser->at++;
    if (!set_of_actions(parser, '>', term))
        return false;
    const struct pepa_token *next = ahead(parser, 0);
    if (next->kind == token_WORD || is_sign(parser, 0, '(')) { /* a cooperation with what follows */
        parser->at = before;
        parser->model->sets.count = sets_before;
        term->set_count = 0;
        term->is_all = false;
    }
    return true;
}

static bool hidden(struct parser *parser, uint32_t *index)
{
    if (!single(parser, index))
        return false;
    for (;;) {
        struct pepa_term term = {.left = *index, .right = pepa_NONE, .place = ahead(parser, 0)->place};
        if (is_sign(parser, 0, '/') || is_sign(parser, 0, '\\')) {
            term.kind = pepa_HIDING;
            parser->at++;
            if (!needs(parser, '{', "'{' and the actions to hide") || !set_of_actions(parser, '}', &term))
                return false;
        } else if (takes(parser, '[')) {
            term.kind = pepa_REPLICAS;
            if (!replicas(parser, &term))
                return false;
        } else {
            return true;
        }
        if (!add(parser, term, index))
            return false;
    }
}

static bool choice(struct parser *parser, uint32_t *index)
{
    if (!hidden(parser, index))
        return false;
    while (is_sign(parser, 0, '+')) {
        struct pepa_term term = {.kind = pepa_CHOICE, .left = *index, .place = ahead(parser, 0)->place};
        parser->at++;
        if (!hidden(parser, &term.right) || !add(parser, term, index))
            return false;
    }
    return true;
}

static bool cooperation(struct parser *parser, uint32_t *index)
{
    if (!choice(parser, index))
        return false;
    for (;;) {
        struct pepa_term term = {.kind = pepa_COOPERATION,
                                 .left = *index,
                                 .set = (uint32_t)parser->model->sets.count,
                                 .place = ahead(parser, 0)->place};
        if (ahead(parser, 0)->kind == token_PARALLEL)
            parser->at++;
        else if (!takes(parser, '<'))
            return true;
        else if (!set_of_actions(parser, '>', &term))
            return false;
        if (!choice(parser, &term.right) || !add(parser, term, index))
            return false;
    }
}

bool pepa_parse_term(struct pepa_model *model, const struct array *tokens, size_t first, size_t last,
                     uint32_t *term, struct error *error)
{
    struct parser parser = {model, tokens, first, 0, error};
    return cooperation(&parser, term) && (parser.at == last || expected(&parser, "an operator or ';'"));
}
