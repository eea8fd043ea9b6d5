/* Statements: what a rank does.  A message statement is a word, values, and further words that introduce
   other values; which, says a table. */
#include "plan/modelling/language/parser.h"

#include <string.h>

struct clause {
    const char *word; /* before the value; NULL: directly after the statement's word */
    enum message_part part;
    bool is_needed;
    enum { ONE, ONE_OR_TWO, GRID } shape;
};

static const struct message {
    const char *word;
    enum activity_kind activity;
    const char *form;
    struct clause clauses[6];
} messages[] = {
    {"send",
     activity_SEND,
     "send BYTES to RANK [tag NUMBER] [with NUMBER];",
     {{NULL, part_BYTES, true}, {"to", part_PARTNER, true}, {"tag", part_TAG}, {"with", part_VALUE}}},
    {"receive",
     activity_RECEIVE,
     "receive BYTES from RANK|any [tag NUMBER] [sender NAME] [number NAME];",
     {{NULL, part_BYTES, true}, {"from", part_PARTNER, true}, {"tag", part_TAG}}},
    {"isend",
     activity_ISEND,
     "isend BYTES to RANK [tag NUMBER] [with NUMBER] as REQUEST;",
     {{NULL, part_BYTES, true},
      {"to", part_PARTNER, true},
      {"tag", part_TAG},
      {"with", part_VALUE},
      {"as", part_REQUEST, true}}},
    {"ireceive",
     activity_IRECEIVE,
     "ireceive BYTES from RANK [tag NUMBER] as REQUEST;",
     {{NULL, part_BYTES, true}, {"from", part_PARTNER, true}, {"tag", part_TAG}, {"as", part_REQUEST, true}}},
    {"wait", activity_WAIT, "wait REQUEST; or wait;", {{NULL, part_REQUEST, false}}},
    {"barrier", activity_BARRIER, "barrier;", {{NULL, MESSAGE_PARTS, false}}},
    {"broadcast",
     activity_BROADCAST,
     "broadcast BYTES [from RANK];",
     {{NULL, part_BYTES, true}, {"from", part_PARTNER}}},
    {"reduce", activity_REDUCE, "reduce BYTES [to RANK];", {{NULL, part_BYTES, true}, {"to", part_PARTNER}}},
    {"allreduce", activity_ALLREDUCE, "allreduce BYTES;", {{NULL, part_BYTES, true}}},
    {"alltoall", activity_ALLTOALL, "alltoall BYTES;", {{NULL, part_BYTES, true}}},
    {"halo",
     activity_HALO,
     "halo BYTES[, BYTES] on (COLUMNS, ROWS);",
     {{NULL, part_BYTES, true, ONE_OR_TWO}, {"on", part_COLUMNS, true, GRID}}},
    {"wavefront",
     activity_WAVEFRONT,
     "wavefront [from CORNER] on (COLUMNS, ROWS) tiles N [before TIME] compute TIME send BYTES[, BYTES];",
     {{"from", part_CORNER},
      {"on", part_COLUMNS, true, GRID},
      {"tiles", part_TILES, true},
      {"before", part_BEFORE},
      {"compute", part_SECONDS, true},
      {"send", part_BYTES, true, ONE_OR_TWO}}},
    {"read", activity_READ, "read BYTES;", {{NULL, part_BYTES, true}}},
    {"write", activity_WRITE, "write BYTES;", {{NULL, part_BYTES, true}}},
};
enum { CLAUSES = sizeof messages->clauses / sizeof *messages->clauses };

static bool parse_clause(struct parser *parser, const struct clause *clause, struct node **parts)
{
    if (clause->shape == GRID &&
        !parser_need_mark(parser, MARK('(', 0), "(COLUMNS, ROWS) of the grid of ranks"))
        return false;
    parts[clause->part] = parse_expression(parser);
    if (!parts[clause->part])
        return false;
    if (clause->shape == GRID)
        return parser_need_mark(parser, MARK(',', 0), ", and the rows of the grid") &&
               (parts[part_ROWS] = parse_expression(parser)) &&
               parser_need_mark(parser, MARK(')', 0), ") after the grid");
    if (clause->shape == ONE_OR_TWO && parser_take_mark(parser, MARK(',', 0)))
        return (parts[part_OTHER_BYTES] = parse_expression(parser));
    return true;
}

/* What else a receive may say: names for who sent it, and for the number in the message. */
static bool parse_received(struct parser *parser, struct node *node, const struct message *message)
{
    struct place at;
    if (parser_take_word(parser, "sender") && !(node->name = parser_need_name(parser, message->form, &at)))
        return false;
    return !parser_take_word(parser, "number") ||
           (node->section = parser_need_name(parser, message->form, &at));
}

static bool parse_any(struct parser *parser, struct node *node, const struct message *message)
{
    struct place place = parser->token.place;
    if (!parser_take_word(parser, "any"))
        return true;
    node->is_from_any = true;
    return message->activity == activity_RECEIVE ||
           parser_fail(parser, place, "only receive takes any; this is %s", message->form);
}

static struct node *parse_message(struct parser *parser, const struct message *message)
{
    struct node *node = parser_node(parser, node_MESSAGE, parser->token.place, NULL, NULL, NULL);
    node->activity = (uint16_t)message->activity;
    node->parts = arena_get(&parser->model->arena, MESSAGE_PARTS * sizeof *node->parts);
    parser_advance(parser);
    for (unsigned i = 0; i < CLAUSES; i++) {
        const struct clause *clause = &message->clauses[i];
        bool is_end = !clause->word && !clause->is_needed;
        if ((i && !clause->word) || clause->part == MESSAGE_PARTS)
            break;
        if (is_end && parser_at_mark(parser, MARK(';', 0)))
            break;
        if (clause->word && !parser_take_word(parser, clause->word)) {
            if (!clause->is_needed)
                continue;
            parser_fail(parser, parser->token.place, "expected %s: %s", clause->word, message->form);
            return NULL;
        }
        bool is_from = clause->word && !strcmp(clause->word, "from") && clause->part == part_PARTNER;
        if (is_from && !parse_any(parser, node, message))
            return NULL;
        if (!(is_from && node->is_from_any) && !parse_clause(parser, clause, node->parts))
            return NULL;
    }
    if (message->activity == activity_RECEIVE && !parse_received(parser, node, message))
        return NULL;
    return parser_need_mark(parser, MARK(';', 0), message->form) ? node : NULL;
}

static void note_inside(struct node *node, const struct node *inner)
{
    if (!inner)
        return;
    node->is_pure &= inner->is_pure;
    node->has_chance |= inner->has_chance;
    node->has_assignment |= inner->has_assignment;
}

static struct node *parse_statement(struct parser *parser);

static struct node *parse_if(struct parser *parser, struct place place)
{
    if (!parser_need_mark(parser, MARK('(', 0), "( and a condition after if"))
        return NULL;
    bool is_chance = parser_take_word(parser, "probability");
    struct node *condition = parse_expression(parser), *no = NULL;
    if (!condition || !parser_need_mark(parser, MARK(')', 0), ") after the condition"))
        return NULL;
    struct node *yes = parse_statement(parser);
    if (!yes || (parser_take_word(parser, "else") && !(no = parse_statement(parser))))
        return NULL;
    struct node *node = parser_node(parser, is_chance ? node_CHANCE : node_IF, place, condition, yes, no);
    node->is_pure = true;
    node->has_chance = is_chance;
    note_inside(node, yes);
    note_inside(node, no);
    if (is_chance && node->has_assignment)
        node->is_pure = false;
    return node;
}

static struct node *parse_for(struct parser *parser, struct place place, bool has_name)
{
    string_id name = 0;
    struct node *first = NULL;
    if (!parser_need_mark(parser, MARK('(', 0), has_name ? "for (i = FIRST .. LAST)" : "repeat (TIMES)"))
        return NULL;
    if (has_name) {
        struct place at;
        name = parser_need_name(parser, "for (i = FIRST .. LAST)", &at);
        if (!name || !parser_need_mark(parser, MARK('=', 0), "= in for (i = FIRST .. LAST)") ||
            !(first = parse_expression(parser)) ||
            !parser_need_mark(parser, MARK('.', '.'), ".. in for (i = FIRST .. LAST)"))
            return NULL;
    }
    struct node *last = parse_expression(parser);
    if (!last || !parser_need_mark(parser, MARK(')', 0), ") after the bounds of the loop"))
        return NULL;
    struct node *body = parse_statement(parser);
    if (!body)
        return NULL;
    struct node *node = parser_node(parser, node_FOR, place, first, last, body);
    node->name = name;
    node->is_pure = true;
    note_inside(node, body);
    return node;
}

/* Walked step by step: how often shows only then. */
static struct node *parse_while(struct parser *parser, struct place place)
{
    if (!parser_need_mark(parser, MARK('(', 0), "( and a condition after while"))
        return NULL;
    struct node *condition = parse_expression(parser);
    if (!condition || !parser_need_mark(parser, MARK(')', 0), ") after the condition"))
        return NULL;
    struct node *body = parse_statement(parser);
    if (!body)
        return NULL;
    struct node *node = parser_node(parser, node_WHILE, place, condition, body, NULL);
    note_inside(node, body);
    node->is_pure = false;
    return node;
}

/* What follows `spend TIME`. */
static bool parse_purpose(struct parser *parser, struct node *node)
{
    if (!parser_take_word(parser, "on"))
        return parser_fail(parser, parser->token.place, "expected on: spend TIME on messages|waiting;");
    if (parser_take_word(parser, "messages"))
        node->purpose = activity_for_MESSAGES;
    else if (parser_take_word(parser, "waiting"))
        node->purpose = activity_for_WAITING;
    else
        return parser_fail(parser, parser->token.place,
                           "expected messages or waiting: spend TIME on messages|waiting;");
    return true;
}

static struct node *parse_compute(struct parser *parser, struct place place, bool is_spend)
{
    struct node *value = parse_expression(parser);
    if (!value)
        return NULL;
    struct node *node = parser_node(parser, node_COMPUTE, place, value, NULL, NULL);
    node->is_pure = true;
    if (is_spend && !parse_purpose(parser, node))
        return NULL;
    if (parser_take_word(parser, "as") && !(node->text = parser_take_text(parser))) {
        parser_fail(parser, parser->token.place, "expected a label in quotes: as \"label\";");
        return NULL;
    }
    return parser_need_mark(parser, MARK(';', 0),
                            is_spend ? "; after spend TIME on messages|waiting [as \"label\"]"
                                     : "; after compute TIME [as \"label\"]")
               ? node
               : NULL;
}

static struct node *parse_let(struct parser *parser, struct place place)
{
    struct place at;
    string_id name = parser_need_name(parser, "let NAME = VALUE;", &at);
    if (!name || !parser_need_mark(parser, MARK('=', 0), "= in let NAME = VALUE;"))
        return NULL;
    struct node *value = parse_expression(parser);
    if (!value || !parser_need_mark(parser, MARK(';', 0), "; after let NAME = VALUE"))
        return NULL;
    struct node *node = parser_node(parser, node_LET, place, value, NULL, NULL);
    node->name = name;
    node->is_pure = true;
    return node;
}

/* name(…); or name = value; */
static struct node *parse_named_statement(struct parser *parser)
{
    struct token first = parser->token;
    struct place place;
    string_id name = parser_need_name(parser, "a statement", &place);
    if (!name)
        return NULL;
    if (parser_take_mark(parser, MARK('=', 0))) {
        struct node *value = parse_expression(parser);
        if (!value || !parser_need_mark(parser, MARK(';', 0), "; after NAME = VALUE"))
            return NULL;
        struct node *node = parser_node(parser, node_ASSIGN, place, value, NULL, NULL);
        node->name = name;
        node->is_pure = node->has_assignment = true;
        return node;
    }
    if (!parser_at_mark(parser, MARK('(', 0))) {
        parser_fail(parser, place, "%.*s is not a statement: call it by %.*s(…);, or give it a value by =",
                    (int)first.length, first.text, (int)first.length, first.text);
        return NULL;
    }
    parser_advance(parser);
    struct node *arguments = NULL, **last = &arguments;
    for (unsigned count = 0; !parser_at_mark(parser, MARK(')', 0)); count++) {
        struct node *one = parse_expression(parser);
        if (!one)
            return NULL;
        if (count == MOST_ARGUMENTS) {
            parser_fail(parser, one->place, "more than %d arguments", MOST_ARGUMENTS);
            return NULL;
        }
        *last = one;
        last = &one->next;
        if (!parser_take_mark(parser, MARK(',', 0)))
            break;
    }
    if (!parser_need_mark(parser, MARK(')', 0), ") after the arguments") ||
        !parser_need_mark(parser, MARK(';', 0), "; after the call"))
        return NULL;
    struct node *node = parser_node(parser, node_CALL, place, arguments, NULL, NULL);
    node->name = name;
    return node;
}

/* After a mistake: after the next ; or before the } of this block, so that the rest is read, too. */
static void recover(struct parser *parser)
{
    unsigned open = 0;
    parser->has_failed = false;
    while (parser->token.kind != token_END) {
        bool is_semicolon = parser_at_mark(parser, MARK(';', 0)), ends = parser_at_mark(parser, MARK('}', 0));
        if (ends && !open)
            return;
        open += parser_at_mark(parser, MARK('{', 0));
        open -= ends;
        parser_advance(parser);
        if (!open && (is_semicolon || ends))
            return;
    }
}

static struct node *parse_one(struct parser *parser)
{
    struct place place = parser->token.place;
    if (parser_at_mark(parser, MARK('{', 0)))
        return parse_block(parser);
    if (parser_take_word(parser, "compute"))
        return parse_compute(parser, place, false);
    if (parser_take_word(parser, "spend"))
        return parse_compute(parser, place, true);
    if (parser_take_word(parser, "let"))
        return parse_let(parser, place);
    if (parser_take_word(parser, "if"))
        return parse_if(parser, place);
    if (parser_take_word(parser, "while"))
        return parse_while(parser, place);
    if (parser_take_word(parser, "for"))
        return parse_for(parser, place, true);
    if (parser_take_word(parser, "repeat"))
        return parse_for(parser, place, false);
    for (unsigned i = 0; i < sizeof messages / sizeof *messages; i++)
        if (token_is(&parser->token, messages[i].word))
            return parse_message(parser, &messages[i]);
    if (parser->token.kind == token_NAME)
        return parse_named_statement(parser);
    parser_fail(parser, place, "expected a statement");
    return NULL;
}

static struct node *parse_statement(struct parser *parser)
{
    struct node *node = NULL;
    if (++parser->depth > MOST_HEIGHT)
        parser_fail(parser, parser->token.place, "statements are nested more than %d deep", MOST_HEIGHT);
    else
        node = parse_one(parser);
    parser->depth--;
    return parser->has_failed ? NULL : node;
}

/* Mistakes inside are noted one by one; the block is returned in any case but without its braces. */
struct node *parse_block(struct parser *parser)
{
    struct place place = parser->token.place;
    if (!parser_need_mark(parser, MARK('{', 0), "{ and statements"))
        return NULL;
    struct node *first = NULL, **last = &first;
    while (!parser_at_mark(parser, MARK('}', 0)) && parser->token.kind != token_END) {
        struct node *one = parse_statement(parser);
        if (one) {
            *last = one;
            last = &one->next;
        } else {
            recover(parser);
        }
    }
    if (!parser_need_mark(parser, MARK('}', 0), "} at the end of the block"))
        return NULL;
    struct node *node = parser_node(parser, node_BLOCK, place, first, NULL, NULL);
    node->is_pure = true;
    for (const struct node *one = first; one; one = one->next)
        note_inside(node, one);
    return node;
}
