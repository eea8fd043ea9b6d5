/* Expressions as in C, by precedence. Every node knows its height, and one that is too high is a mistake. */
#include "plan/modelling/language/parser.h"

#include <math.h>
#include <string.h>

struct node *parser_node(struct parser *parser, enum node_kind kind, struct place place, struct node *a,
                         struct node *b, struct node *c)
{
    struct node *node = arena_get(&parser->model->arena, sizeof *node);
    node->kind = kind;
    node->place = place;
    node->a = a;
    node->b = b;
    node->c = c;
    unsigned height = 0;
    for (const struct node *one = a; one; one = one->next)
        height = one->height > height ? one->height : height;
    if (b && b->height > height)
        height = b->height;
    if (c && c->height > height)
        height = c->height;
    node->height = (uint16_t)(height + 1);
    if (node->height > MOST_HEIGHT) {
        parser_fail(parser, place, "this is nested more than %d deep; give parts of it names with let",
                    MOST_HEIGHT);
        node->height = MOST_HEIGHT;
    }
    return node;
}

static bool parse_arguments(struct parser *parser, uint16_t end, struct node **first)
{
    struct node **last = first;
    *first = NULL;
    if (parser_take_mark(parser, end))
        return true;
    for (unsigned count = 0;; count++) {
        struct node *one = parse_expression(parser);
        if (!one)
            return false;
        if (count == MOST_ARGUMENTS)
            return parser_fail(parser, one->place, "more than %d arguments", MOST_ARGUMENTS);
        *last = one;
        last = &one->next;
        if (!parser_take_mark(parser, MARK(',', 0)))
            break;
    }
    return parser_need_mark(parser, end,
                            end == MARK(']', 0) ? "] after the indices" : ") after the arguments");
}

/* loop "solve.f90":40 of "./solver" */
static struct node *parse_loop_of(struct parser *parser, struct place place)
{
    struct language_model *model = parser->model;
    string_id source = parser_take_text(parser);
    if (!source) {
        parser_fail(parser, parser->token.place,
                    "expected loop \"FILE\":LINE of \"PROGRAM\"; a loop of the model is repeat (n) or for (i "
                    "= a .. b)");
        return NULL;
    }
    if (!parser_need_mark(parser, MARK(':', 0), ": and the line after the file of the loop"))
        return NULL;
    double line = parser->token.number;
    if (parser->token.kind != token_NUMBER || line < 1 || line > 1e8 || line != floor(line)) {
        parser_fail(parser, parser->token.place, "expected the line of the loop");
        return NULL;
    }
    parser_advance(parser);
    if (!parser_need_word(parser, "of"))
        return NULL;
    struct place at = parser->token.place;
    string_id program = parser_take_text(parser);
    if (!program) {
        parser_fail(parser, at, "expected the program, in quotes");
        return NULL;
    }
    struct node *node = parser_node(parser, node_LOOP_OF, place, NULL, NULL, NULL);
    node->loop = (uint32_t)model->loops.count;
    *(struct language_loop *)array_add(&model->loops) =
        (struct language_loop){.program = language_text(model, program),
                               .source = language_text(model, source),
                               .file = *ARRAY_AT(char *, &model->files, place.file),
                               .line = place.line,
                               .column = place.column,
                               .source_line = (uint32_t)line,
                               .cycles = NAN};
    return node;
}

static struct node *parse_number(struct parser *parser)
{
    struct node *node = parser_node(parser, node_NUMBER, parser->token.place, NULL, NULL, NULL);
    node->number = parser->token.number;
    node->unit = node->number ? dimension_number() : dimension_any();
    parser_advance(parser);
    char name[16];
    if (parser->token.kind == token_NAME && parser->token.length < sizeof name &&
        !parser_word_follows(&parser->token)) {
        memcpy(name, parser->token.text, parser->token.length);
        name[parser->token.length] = 0;
        const struct unit *unit = unit_named(name);
        if (unit) {
            node->number *= unit->factor;
            node->unit = unit->dimension;
            parser_advance(parser);
        } else {
            parser_fail(parser, parser->token.place,
                        "%s is not a unit; units are s, ms, us, ns, bytes, kB, KiB, MB, MiB, GB, GiB, flops, "
                        "Gflops, cycles, MHz, GHz",
                        name);
            return NULL;
        }
    }
    return node;
}

static struct node *parse_named(struct parser *parser)
{
    struct place place = parser->token.place;
    if (parser_take_word(parser, "loop"))
        return parse_loop_of(parser, place);
    bool is_hardware = token_is(&parser->token, "hardware");
    if (!is_hardware && parser_word_is_taken(&parser->token)) {
        parser_fail(parser, place, "expected a value, not the word %.*s of the language",
                    (int)parser->token.length, parser->token.text);
        return NULL;
    }
    string_id name = strings_add_length(&parser->model->strings, parser->token.text, parser->token.length);
    parser_advance(parser);
    struct node *arguments;
    struct node *node = NULL;
    if (parser_take_mark(parser, MARK('(', 0))) {
        if (!parse_arguments(parser, MARK(')', 0), &arguments))
            return NULL;
        node = parser_node(parser, node_CALL, place, arguments, NULL, NULL);
    } else if (parser_take_mark(parser, MARK('[', 0))) {
        if (!parse_arguments(parser, MARK(']', 0), &arguments))
            return NULL;
        node = parser_node(parser, node_ELEMENT, place, arguments, NULL, NULL);
    } else if (parser_take_mark(parser, MARK('.', 0))) {
        struct token second = parser->token;
        if (second.kind != token_NAME) {
            parser_fail(parser, second.place, "expected the name of an entry of the hardware");
            return NULL;
        }
        parser_advance(parser);
        node = parser_node(parser, node_ENTRY, place, NULL, NULL, NULL);
        node->section = is_hardware ? 0 : name;
        node->name = strings_add_length(&parser->model->strings, second.text, second.length);
        return node;
    } else {
        node = parser_node(parser, node_NAME, place, NULL, NULL, NULL);
    }
    node->name = name;
    return node;
}

static struct node *parse_primary(struct parser *parser)
{
    struct place place = parser->token.place;
    if (parser->token.kind == token_NUMBER)
        return parse_number(parser);
    if (parser->token.kind == token_NAME)
        return parse_named(parser);
    if (parser_take_mark(parser, MARK('(', 0))) {
        struct node *inner = parse_expression(parser);
        return inner && parser_need_mark(parser, MARK(')', 0), ") for the ( before") ? inner : NULL;
    }
    if (parser->token.kind == token_WRONG)
        parser_fail(parser, place, "%s is not part of a model", parser->token.wrong);
    else if (parser->token.kind == token_END)
        parser_fail(parser, place, "the file ends where a value is expected");
    else
        parser_fail(parser, place, "expected a value, not %.*s", (int)parser->token.length,
                    parser->token.text);
    return NULL;
}

static struct node *parse_unary(struct parser *parser)
{
    struct place place = parser->token.place;
    if (++parser->depth > MOST_HEIGHT) {
        parser_fail(parser, place, "this is nested more than %d deep; give parts of it names with let",
                    MOST_HEIGHT);
        parser->depth--;
        return NULL;
    }
    struct node *node = NULL;
    uint16_t mark = parser->token.mark;
    if (parser_at_mark(parser, MARK('-', 0)) || parser_at_mark(parser, MARK('!', 0))) {
        parser_advance(parser);
        struct node *inner = parse_unary(parser);
        node = inner ? parser_node(parser, node_UNARY, place, inner, NULL, NULL) : NULL;
        if (node)
            node->mark = mark;
    } else {
        node = parse_primary(parser);
    }
    parser->depth--;
    return node;
}

static unsigned rank_of(const struct token *token)
{
    if (token->kind != token_MARK)
        return 0;
    switch (token->mark) {
    case MARK('*', 0):
    case MARK('/', 0):
    case MARK('%', 0):
        return 6;
    case MARK('+', 0):
    case MARK('-', 0):
        return 5;
    case MARK('<', 0):
    case MARK('>', 0):
    case MARK('<', '='):
    case MARK('>', '='):
        return 4;
    case MARK('=', '='):
    case MARK('!', '='):
        return 3;
    case MARK('&', '&'):
        return 2;
    case MARK('|', '|'):
        return 1;
    default:
        return 0;
    }
}

static struct node *parse_binary(struct parser *parser, unsigned least)
{
    struct node *left = parse_unary(parser);
    while (left) {
        unsigned rank = rank_of(&parser->token);
        if (!rank || rank < least)
            return left;
        struct place place = parser->token.place;
        uint16_t mark = parser->token.mark;
        parser_advance(parser);
        struct node *right = parse_binary(parser, rank + 1);
        if (!right)
            return NULL;
        left = parser_node(parser, node_BINARY, place, left, right, NULL);
        left->mark = mark;
        if (parser->has_failed)
            return NULL;
    }
    return NULL;
}

struct node *parse_expression(struct parser *parser)
{
    struct place place = parser->token.place;
    if (++parser->depth > MOST_HEIGHT) {
        parser_fail(parser, place, "this is nested more than %d deep; give parts of it names with let",
                    MOST_HEIGHT);
        parser->depth--;
        return NULL;
    }
    struct node *node = parse_binary(parser, 1);
    place = parser->token.place;
    if (node && parser_take_mark(parser, MARK('?', 0))) {
        struct node *yes = parse_expression(parser);
        struct node *no = yes && parser_need_mark(parser, MARK(':', 0), ": of the choice")
                              ? parse_expression(parser)
                              : NULL;
        node = no ? parser_node(parser, node_CHOICE, place, node, yes, no) : NULL;
    }
    parser->depth--;
    return parser->has_failed ? NULL : node;
}

/* bytes, bytes/s, cycles*cycles … */
bool parse_unit(struct parser *parser, struct dimension *unit)
{
    *unit = dimension_number();
    int times = 1;
    for (;;) {
        char name[16] = "";
        if (parser->token.kind == token_NAME && parser->token.length < sizeof name)
            memcpy(name, parser->token.text, parser->token.length);
        const struct unit *one = unit_named(name);
        if (!one)
            return parser_fail(
                parser, parser->token.place,
                "expected a unit: seconds, bytes, flops, cycles, count, or products such as bytes/s");
        if (!dimension_multiply(*unit, one->dimension, times, unit))
            return parser_fail(parser, parser->token.place, "no value has such a unit");
        parser_advance(parser);
        if (parser_take_mark(parser, MARK('*', 0)))
            times = 1;
        else if (parser_take_mark(parser, MARK('/', 0)))
            times = -1;
        else
            return true;
    }
}
