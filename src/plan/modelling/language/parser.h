/* What the parts of the parser share: a text, a word of it in hand, and the way back after a mistake. */
#ifndef PLAN_MODELLING_LANGUAGE_PARSER_H
#define PLAN_MODELLING_LANGUAGE_PARSER_H
#include "plan/modelling/language/syntax.h"

struct parser {
    struct language_model *model;
    struct lexer lexer;
    struct token token; /* in hand: not taken yet */
    unsigned depth;     /* of what is being parsed */
    bool has_failed;    /* since the last way back: other mistakes are consequences */
};

void parser_advance(struct parser *parser);
bool parser_fail(struct parser *parser, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool parser_at_mark(const struct parser *parser, uint16_t mark);
bool parser_take_mark(struct parser *parser, uint16_t mark); /* false: another word is in hand */
bool parser_take_word(struct parser *parser, const char *word);
/* Mistakes if another word is in hand; what: "; after a statement". */
bool parser_need_mark(struct parser *parser, uint16_t mark, const char *what);
bool parser_need_word(struct parser *parser, const char *word);
/* A name that is no word of the language and no unit; 0 and a mistake. */
string_id parser_need_name(struct parser *parser, const char *what, struct place *place);
string_id parser_take_text(struct parser *parser); /* 0: none */
bool parser_word_is_taken(const struct token *token);
/* No unit, though it comes after a number: with, sender and number may be names, too. */
bool parser_word_follows(const struct token *token);
struct node *parser_node(struct parser *parser, enum node_kind kind, struct place place, struct node *a,
                         struct node *b, struct node *c);

struct node *parse_expression(struct parser *parser); /* NULL: a mistake was noted */
bool parse_unit(struct parser *parser, struct dimension *unit);
struct node *parse_block(struct parser *parser);
#endif
