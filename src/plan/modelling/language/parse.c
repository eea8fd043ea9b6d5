/* The parser: declarations at the top of a file, and what all its parts share.

   It goes on after a mistake, after the next ; or }, so that one reading tells all mistakes of a file. */
#include "plan/modelling/language/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
    "application", "subtask",   "template",    "hardware", "flow",      "function", "vector",    "parameter",
    "free",        "include",   "let",         "ranks",    "network",   "run",      "in",        "compute",
    "if",          "else",      "probability", "for",      "repeat",    "loop",     "of",        "to",
    "from",        "tag",       "as",          "on",       "tiles",     "before",   "send",      "receive",
    "isend",       "ireceive",  "wait",        "barrier",  "broadcast", "reduce",   "allreduce", "alltoall",
    "halo",        "wavefront", "read",        "write",    "spend",     "while",    "any",
};

bool parser_word_is_taken(const struct token *token)
{
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        /* ranks is a value, too. */
        if (token_is(token, words[i]) && strcmp(words[i], "ranks") != 0)
            return true;
    return false;
}

bool parser_word_follows(const struct token *token)
{
    static const char *const soft[] = {"with", "sender", "number"};
    for (unsigned i = 0; i < sizeof soft / sizeof *soft; i++)
        if (token_is(token, soft[i]))
            return true;
    return parser_word_is_taken(token);
}

void parser_advance(struct parser *parser)
{
    parser->token = lexer_next(&parser->lexer);
}

bool parser_fail(struct parser *parser, struct place place, const char *format, ...)
{
    if (!parser->has_failed) {
        char text[400];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        language_mistake(parser->model, place, "%s", text);
    }
    parser->has_failed = true;
    return false;
}

bool parser_at_mark(const struct parser *parser, uint16_t mark)
{
    return parser->token.kind == token_MARK && parser->token.mark == mark;
}

bool parser_take_mark(struct parser *parser, uint16_t mark)
{
    if (!parser_at_mark(parser, mark))
        return false;
    parser_advance(parser);
    return true;
}

bool parser_take_word(struct parser *parser, const char *word)
{
    if (!token_is(&parser->token, word))
        return false;
    parser_advance(parser);
    return true;
}

static bool fail_expected(struct parser *parser, const char *what)
{
    const struct token *token = &parser->token;
    if (token->kind == token_WRONG)
        return parser_fail(parser, token->place, "%s is not part of a model", token->wrong);
    if (token->kind == token_END)
        return parser_fail(parser, token->place, "the file ends here: expected %s", what);
    return parser_fail(parser, token->place, "expected %s, not %.*s", what,
                       (int)(token->length < 40 ? token->length : 40), token->text);
}

bool parser_need_mark(struct parser *parser, uint16_t mark, const char *what)
{
    return parser_take_mark(parser, mark) || fail_expected(parser, what);
}

bool parser_need_word(struct parser *parser, const char *word)
{
    return parser_take_word(parser, word) || fail_expected(parser, word);
}

string_id parser_need_name(struct parser *parser, const char *what, struct place *place)
{
    char name[16] = "";
    *place = parser->token.place;
    if (parser->token.kind != token_NAME)
        return fail_expected(parser, what), 0;
    if (parser_word_is_taken(&parser->token) || token_is(&parser->token, "ranks") ||
        token_is(&parser->token, "rank"))
        return parser_fail(parser, *place, "%.*s is a word of the language; choose another name",
                           (int)parser->token.length, parser->token.text),
               0;
    if (parser->token.length < sizeof name)
        memcpy(name, parser->token.text, parser->token.length);
    if (*name && unit_named(name))
        return parser_fail(parser, *place, "%s is a unit; choose another name", name), 0;
    string_id id = strings_add_length(&parser->model->strings, parser->token.text, parser->token.length);
    parser_advance(parser);
    return id;
}

string_id parser_take_text(struct parser *parser)
{
    if (parser->token.kind != token_TEXT)
        return 0;
    string_id id = strings_add_length(&parser->model->strings, parser->token.text, parser->token.length);
    parser_advance(parser);
    return id;
}

/* After the ; or } that ends this declaration. */
static void recover(struct parser *parser, bool is_inside)
{
    unsigned open = 0;
    parser->has_failed = false;
    while (parser->token.kind != token_END) {
        bool is_semicolon = parser_at_mark(parser, MARK(';', 0)), ends = parser_at_mark(parser, MARK('}', 0));
        if (ends && !open && is_inside)
            return;
        open += parser_at_mark(parser, MARK('{', 0));
        open -= ends && open;
        parser_advance(parser);
        if (!open && (is_semicolon || ends))
            return;
    }
}

static bool take_unit(struct parser *parser, struct dimension *unit, bool *has_unit)
{
    *has_unit = parser_take_word(parser, "in");
    return !*has_unit || parse_unit(parser, unit);
}

/* parameter a [in UNIT] [= VALUE] ["text"], b …; */
static bool parse_parameters(struct parser *parser, bool is_free)
{
    do {
        struct place place;
        string_id name = parser_need_name(parser, "the name of a parameter", &place);
        struct symbol *symbol = name ? language_declare(parser->model, symbol_VALUE, name, place) : NULL;
        struct symbol ignored = {0};
        if (!name)
            return false;
        symbol = symbol ? symbol : &ignored;
        symbol->is_parameter = true;
        symbol->is_free = is_free;
        if (!take_unit(parser, &symbol->unit, &symbol->has_unit))
            return false;
        if (parser_take_mark(parser, MARK('=', 0)) && !(symbol->body = parse_expression(parser)))
            return false;
        symbol->says = parser_take_text(parser);
        if (symbol != &ignored)
            *(struct symbol **)array_push(&parser->model->order) = symbol;
    } while (parser_take_mark(parser, MARK(',', 0)));
    return parser_need_mark(parser, MARK(';', 0), "; after the parameters");
}

static bool parse_constant(struct parser *parser)
{
    struct place place;
    string_id name = parser_need_name(parser, "let NAME = VALUE;", &place);
    struct symbol ignored = {0},
                  *symbol = name ? language_declare(parser->model, symbol_VALUE, name, place) : NULL;
    if (!name)
        return false;
    symbol = symbol ? symbol : &ignored;
    return take_unit(parser, &symbol->unit, &symbol->has_unit) &&
           parser_need_mark(parser, MARK('=', 0), "= in let NAME = VALUE;") &&
           (symbol->body = parse_expression(parser)) && (symbol->says = parser_take_text(parser), true) &&
           parser_need_mark(parser, MARK(';', 0), "; after let NAME = VALUE");
}

/* (a, b in UNIT) or, of a vector, [i = 0 .. n - 1, j = …] */
static bool parse_formals(struct parser *parser, struct symbol *symbol, bool is_vector)
{
    struct formal formals[MOST_ARGUMENTS];
    unsigned count = 0, most = is_vector ? MOST_INDICES : MOST_ARGUMENTS;
    uint16_t end = is_vector ? MARK(']', 0) : MARK(')', 0);
    if (is_vector || !parser_at_mark(parser, end)) {
        do {
            struct formal *formal = &formals[count];
            if (count == most)
                return parser_fail(parser, parser->token.place, "more than %u of them", most);
            *formal = (struct formal){0};
            formal->name = parser_need_name(parser, is_vector ? "an index: i = FIRST .. LAST" : "a name",
                                            &formal->place);
            if (!formal->name)
                return false;
            for (unsigned i = 0; i < count; i++)
                if (formals[i].name == formal->name)
                    return parser_fail(parser, formal->place, "the same name twice");
            if (is_vector) {
                if (!parser_need_mark(parser, MARK('=', 0), "= and the bounds of the index") ||
                    !(formal->first = parse_expression(parser)) ||
                    !parser_need_mark(parser, MARK('.', '.'), ".. and the last index") ||
                    !(formal->last = parse_expression(parser)))
                    return false;
                formal->is_known = true;
            } else if (!take_unit(parser, &formal->unit, &formal->is_known)) {
                return false;
            }
            count++;
        } while (parser_take_mark(parser, MARK(',', 0)));
    }
    symbol->formal_count = (uint16_t)count;
    symbol->formals = arena_get(&parser->model->arena, (count + 1) * sizeof *formals);
    memcpy(symbol->formals, formals, count * sizeof *formals);
    return parser_need_mark(parser, end, is_vector ? "] after the indices" : ") after the names");
}

static bool parse_function(struct parser *parser, bool is_vector)
{
    struct place place;
    string_id name = parser_need_name(parser, "a name", &place);
    if (!name)
        return false;
    struct symbol ignored = {0}, *symbol = language_declare(
                                     parser->model, is_vector ? symbol_VECTOR : symbol_FUNCTION, name, place);
    symbol = symbol ? symbol : &ignored;
    return parser_need_mark(parser, is_vector ? MARK('[', 0) : MARK('(', 0),
                            is_vector ? "[ and the indices" : "( and the names of arguments") &&
           parse_formals(parser, symbol, is_vector) && take_unit(parser, &symbol->unit, &symbol->has_unit) &&
           parser_need_mark(parser, MARK('=', 0), "= and the value") &&
           (symbol->body = parse_expression(parser)) &&
           parser_need_mark(parser, MARK(';', 0), "; after the value");
}

/* flow, subtask and template: NAME(arguments) ["text"] { statements } */
static bool parse_object(struct parser *parser, enum symbol_kind kind)
{
    struct place place;
    string_id name = parser_need_name(parser, "a name", &place);
    if (!name)
        return false;
    struct symbol ignored = {0}, *symbol = language_declare(parser->model, kind, name, place);
    symbol = symbol ? symbol : &ignored;
    if (!parser_need_mark(parser, MARK('(', 0), "( and the names of arguments, or ()") ||
        !parse_formals(parser, symbol, false))
        return false;
    symbol->says = parser_take_text(parser);
    symbol->body = parse_block(parser);
    return symbol->body;
}

static struct symbol *declare_entry(struct parser *parser, string_id hardware, string_id section,
                                    string_id name, struct place place)
{
    struct language_model *model = parser->model;
    char *whole =
        memory_format("%s.%s.%s", language_text(model, hardware),
                      section ? language_text(model, section) : "", name ? language_text(model, name) : "");
    string_id id = strings_add(&model->strings, whole);
    free(whole);
    return language_declare(model, name ? symbol_VALUE : symbol_HARDWARE, id, place);
}

/* Entries of hardware may have any name, even that of a unit. */
static string_id entry_name(struct parser *parser, struct place *place)
{
    *place = parser->token.place;
    if (parser->token.kind != token_NAME)
        return fail_expected(parser, "an entry: NAME = VALUE"), 0;
    string_id name = strings_add_length(&parser->model->strings, parser->token.text, parser->token.length);
    parser_advance(parser);
    return name;
}

static bool parse_entries(struct parser *parser, string_id hardware, string_id section)
{
    while (!parser_at_mark(parser, MARK('}', 0))) {
        struct place place;
        string_id name = entry_name(parser, &place);
        if (!name)
            return false;
        if (!section && parser_take_mark(parser, MARK('{', 0))) {
            if (!declare_entry(parser, hardware, name, 0, place) || !parse_entries(parser, hardware, name))
                return false;
            continue;
        }
        struct symbol ignored = {0}, *symbol = declare_entry(parser, hardware, section, name, place);
        symbol = symbol ? symbol : &ignored;
        if (!parser_need_mark(parser, MARK('=', 0), "= and the value of the entry") ||
            !(symbol->body = parse_expression(parser)))
            return false;
        if (!parser_take_mark(parser, MARK(',', 0)) && !parser_take_mark(parser, MARK(';', 0)) &&
            !parser_at_mark(parser, MARK('}', 0)))
            return fail_expected(parser, "; after the entry");
    }
    parser_advance(parser);
    return true;
}

static bool parse_hardware(struct parser *parser)
{
    struct place place;
    string_id name = parser_need_name(parser, "the name of the hardware", &place);
    if (!name)
        return false;
    struct symbol ignored = {0}, *symbol = language_declare(parser->model, symbol_HARDWARE, name, place);
    symbol = symbol ? symbol : &ignored;
    symbol->says = parser_take_text(parser);
    return parser_need_mark(parser, MARK('{', 0), "{ and entries") && parse_entries(parser, name, 0);
}

static bool parse_declaration(struct parser *parser, bool is_inside);

/* What only an application has; *is_one: it was such a thing. */
static bool parse_part_of_application(struct parser *parser, struct symbol *symbol, bool *is_one)
{
    struct language_model *model = parser->model;
    struct place place = parser->token.place;
    *is_one = true;
    if (parser_take_word(parser, "hardware")) {
        model->hardware_place = parser->token.place;
        string_id name = parser_need_name(parser, "the name of a hardware object", &place);
        if (!model->has_chosen_hardware)
            model->hardware_name = name;
        return name && parser_need_mark(parser, MARK(';', 0),
                                        "; after the name; objects stand outside of the application");
    }
    if (parser_take_word(parser, "network")) {
        model->network_name = parser_take_text(parser);
        return model->network_name ? parser_need_mark(parser, MARK(';', 0), "; after the network")
                                   : fail_expected(parser, "the name of a network in quotes");
    }
    if (parser_take_word(parser, "ranks")) {
        model->ranks = parse_expression(parser);
        return model->ranks && parser_need_mark(parser, MARK(';', 0), "; after ranks NUMBER");
    }
    if (parser_take_word(parser, "run")) {
        if (symbol->body)
            return parser_fail(parser, place, "a second run { }");
        symbol->body = parse_block(parser);
        return symbol->body;
    }
    *is_one = false;
    return true;
}

static bool parse_application(struct parser *parser)
{
    struct place place;
    struct language_model *model = parser->model;
    string_id name = parser_need_name(parser, "the name of the application", &place);
    if (!name)
        return false;
    /* Its name is not a name that others could call. */
    struct symbol *symbol = arena_get(&model->arena, sizeof *symbol);
    *symbol = (struct symbol){
        .kind = symbol_APPLICATION, .name = name, .place = place, .code = ARRAY_OF(struct instruction)};
    if (model->application)
        language_mistake(model, place, "a second application: %s is one already",
                         language_text(model, model->application->name));
    else
        *(struct symbol **)array_push(&model->all) = model->application = symbol;
    symbol->says = parser_take_text(parser);
    if (!parser_need_mark(parser, MARK('{', 0), "{ of the application"))
        return false;
    while (!parser_at_mark(parser, MARK('}', 0)) && parser->token.kind != token_END) {
        bool is_one;
        if (!parse_part_of_application(parser, symbol, &is_one) ||
            (!is_one && !parse_declaration(parser, true)))
            recover(parser, true);
    }
    if (!symbol->body && !model->problems.count)
        language_mistake(model, place, "the application has no run { }: nothing would be done");
    return parser_need_mark(parser, MARK('}', 0), "} at the end of the application");
}

static bool parse_include(struct parser *parser)
{
    struct place place = parser->token.place;
    string_id name = parser_take_text(parser);
    if (!name)
        return fail_expected(parser, "the name of a file in quotes");
    if (!parser_need_mark(parser, MARK(';', 0), "; after include \"FILE\""))
        return false;
    language_include(parser->model, place, language_text(parser->model, name));
    return true;
}

static bool parse_declaration(struct parser *parser, bool is_inside)
{
    struct place place = parser->token.place;
    if (parser_take_word(parser, "parameter"))
        return parse_parameters(parser, false);
    if (parser_take_word(parser, "free"))
        return parser_need_word(parser, "parameter") && parse_parameters(parser, true);
    if (parser_take_word(parser, "let"))
        return parse_constant(parser);
    if (parser_take_word(parser, "function"))
        return parse_function(parser, false);
    if (parser_take_word(parser, "vector"))
        return parse_function(parser, true);
    if (is_inside)
        return parser_fail(parser, place,
                           "expected parameter, let, function, vector, hardware, network, ranks or run { } "
                           "in the application");
    if (parser_take_word(parser, "include"))
        return parse_include(parser);
    if (parser_take_word(parser, "application"))
        return parse_application(parser);
    if (parser_take_word(parser, "subtask"))
        return parse_object(parser, symbol_SUBTASK);
    if (parser_take_word(parser, "template"))
        return parse_object(parser, symbol_TEMPLATE);
    if (parser_take_word(parser, "flow"))
        return parse_object(parser, symbol_FLOW);
    if (parser_take_word(parser, "hardware"))
        return parse_hardware(parser);
    return fail_expected(
        parser,
        "application, subtask, template, flow, hardware, parameter, let, function, vector or include");
}

void parse_file(struct language_model *model, uint16_t file, const char *text, size_t size)
{
    struct parser parser = {.model = model};
    lexer_begin(&parser.lexer, text, size, file);
    parser_advance(&parser);
    while (parser.token.kind != token_END && model->problems.count < MOST_PROBLEMS) {
        if (!parse_declaration(&parser, false))
            recover(&parser, false);
    }
}

struct node *parse_value(struct language_model *model, uint16_t file, const char *text, size_t size)
{
    struct parser parser = {.model = model};
    lexer_begin(&parser.lexer, text, size, file);
    parser_advance(&parser);
    struct node *node = parse_expression(&parser);
    if (node && parser.token.kind != token_END)
        fail_expected(&parser, "nothing more");
    return parser.has_failed ? NULL : node;
}
