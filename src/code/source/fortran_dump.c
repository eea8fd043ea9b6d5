/* gfortran's dump of a parsed program (-fdump-fortran-original): symbols with their types, then the code.

   Each namespace names its procedure and lists its symbols, each with a type and attributes; code follows,
   one statement in a line, labels in front.  Our labels give the lines of the file.  The dump is written for
   people and its layout has accidents: END DO stands at the end of the line before it, loops with a label
   have no END DO at all.  So only what is needed is read: statements by their first word, ends wherever they
   stand, and loops with a label end with the statement that has it. */
#include "code/source/fortran.h"

#include <ctype.h>
#include <string.h>

enum open_kind { open_LOOP, open_LABELLED, open_WHERE };

struct fortran_open {
    enum open_kind kind;
    uint32_t label;       /* of the last statement of a loop with a label */
    uint32_t loop, outer; /* 1 + index; loop: 0 if its line is unknown */
    bool ends_with_if;    /* that statement is an IF, which is open */
};

struct line {
    const char *at, *end;
};

struct fortran_symbol *fortran_symbol(struct fortran_dump *dump, const char *scope, size_t scope_length,
                                      char mark, const char *name, size_t name_length, bool make)
{
    char key[600];
    if (scope_length + name_length + 2 > sizeof key)
        return NULL;
    size_t length = 0;
    if (scope_length)
        memcpy(key, scope, scope_length);
    length = scope_length;
    if (mark)
        key[length++] = mark;
    memcpy(key + length, name, name_length);
    length += name_length;
    key[length] = 0;
    if (!length || memchr(key, 0, length))
        return NULL;
    string_id id = make ? strings_add(&dump->names, key) : strings_find(&dump->names, key);
    if (!id)
        return NULL;
    while (make && dump->symbols.count <= id)
        array_add(&dump->symbols);
    struct fortran_symbol *symbol =
        id < dump->symbols.count ? ARRAY_AT(struct fortran_symbol, &dump->symbols, id) : NULL;
    if (symbol && make)
        symbol->is_known = true;
    return symbol && symbol->is_known ? symbol : NULL;
}

uint32_t fortran_add_loop(struct fortran_dump *dump, uint32_t parent)
{
    if (!dump->line || dump->found->loops.count >= MOST_SOURCE_LOOPS) {
        dump->found->misplaced++;
        return 0;
    }
    struct found_loop *loop = array_add(&dump->found->loops);
    *loop = (struct found_loop){
        .first_line = dump->line, .last_line = dump->last_line, .parent = parent, .branches = 1};
    return (uint32_t)dump->found->loops.count;
}

static void skip_blanks(struct line *line)
{
    while (line->at < line->end && isspace((unsigned char)*line->at))
        line->at++;
}

static bool starts(const struct line *line, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(line->end - line->at) >= length && !memcmp(line->at, text, length);
}

/* Takes a first word off the line. */
static bool take(struct line *line, const char *text)
{
    if (!starts(line, text))
        return false;
    line->at += strlen(text);
    return true;
}

static bool take_number(struct line *line, uint32_t *number)
{
    const char *at = line->at;
    *number = 0;
    while (at < line->end && isdigit((unsigned char)*at))
        *number = *number < FORTRAN_LABELS ? *number * 10 + (uint32_t)(*at++ - '0') : (at++, *number);
    bool is_there = at > line->at;
    line->at = at;
    return is_there;
}

/* What stands between the next two quotes. */
static bool quoted(struct line *line, struct line *name)
{
    const char *open = memchr(line->at, '\'', (size_t)(line->end - line->at));
    const char *close = open ? memchr(open + 1, '\'', (size_t)(line->end - open - 1)) : NULL;
    if (!close)
        return false;
    *name = (struct line){open + 1, close};
    line->at = close + 1;
    return true;
}

/* (REAL 8), (DERIVED point), (CLASS …) */
static void read_type(struct fortran_dump *dump, struct fortran_symbol *symbol, struct line line)
{
    symbol->is_floating = starts(&line, "(REAL ") || starts(&line, "(COMPLEX ");
    symbol->derived = 0;
    if (take(&line, "(DERIVED ") || take(&line, "(CLASS ")) {
        const char *close = memchr(line.at, ')', (size_t)(line.end - line.at));
        if (close && close > line.at && !memchr(line.at, 0, (size_t)(close - line.at)))
            symbol->derived = strings_add_length(&dump->names, line.at, (size_t)(close - line.at));
    }
}

static bool contains(struct line line, const char *text)
{
    return memmem(line.at, (size_t)(line.end - line.at), text, strlen(text));
}

/* (w (REAL 4) ALLOCATABLE DIMENSION (1 [0] …)): a component of the type that was named last. */
static void read_component(struct fortran_dump *dump, struct line line, struct line type)
{
    line.at++;
    struct line name = {line.at, line.at};
    while (name.end < line.end && *name.end != ' ')
        name.end++;
    struct fortran_symbol *symbol = fortran_symbol(dump, type.at, (size_t)(type.end - type.at), '%', name.at,
                                                   (size_t)(name.end - name.at), true);
    if (!symbol || name.end == line.end)
        return;
    line.at = name.end + 1;
    struct fortran_symbol read = {.is_known = true, .is_array = contains(line, "DIMENSION")};
    read_type(dump, &read, line);
    *symbol = read;
}

/* The symbol that the lines at hand describe. */
struct described {
    struct line name; /* of a derived type where components follow */
    bool has_components;
};

static void describe(struct fortran_dump *dump, const struct described *described, const struct line *line,
                     bool is_type)
{
    const char *scope = strings_text(&dump->names, dump->scope);
    size_t name_length = (size_t)(described->name.end - described->name.at);
    struct fortran_symbol read = {0};
    if (is_type)
        read_type(dump, &read, *line);
    /* Under its full name, and under its own for functions that are called from elsewhere. */
    for (int i = 0; i < 2; i++) {
        struct fortran_symbol *symbol =
            fortran_symbol(dump, i ? NULL : scope, i || !scope ? 0 : strlen(scope), i ? 0 : ':',
                           described->name.at, name_length, true);
        if (!symbol)
            continue;
        if (is_type) {
            symbol->is_floating = read.is_floating;
            symbol->derived = read.derived;
        } else {
            symbol->is_array = contains(*line, "DIMENSION");
        }
    }
}

/* Lines about symbols; false for others. */
static bool read_symbol_line(struct fortran_dump *dump, struct line line, struct described *described)
{
    struct line name;
    if (take(&line, "symtree: ")) {
        described->has_components = false;
        if (quoted(&line, &described->name) && quoted(&line, &name))
            described->name = name; /* the name in use statements may be another */
        return true;
    }
    if (take(&line, "type spec : ")) {
        describe(dump, described, &line, true);
        return true;
    }
    if (take(&line, "attributes: ")) {
        describe(dump, described, &line, false);
        return true;
    }
    if (starts(&line, "components:")) {
        described->has_components = true;
        return true;
    }
    if (described->has_components && starts(&line, "(")) {
        read_component(dump, line, described->name);
        return true;
    }
    if (take(&line, "procedure name = ")) {
        const char *end = line.at;
        while (end < line.end && !isspace((unsigned char)*end))
            end++;
        size_t length = (size_t)(end - line.at);
        dump->scope =
            length && !memchr(line.at, 0, length) ? strings_add_length(&dump->names, line.at, length) : 0;
        fortran_symbol(dump, line.at, length, ':', "", 0, true);
        dump->stack.count = 0;
        dump->loop = dump->target = 0;
        dump->line = dump->last_line = 0;
        return true;
    }
    return false;
}

static void open_construct(struct fortran_dump *dump, enum open_kind kind, uint32_t loop, uint32_t label)
{
    struct fortran_open *open = array_add(&dump->stack);
    *open = (struct fortran_open){.kind = kind, .label = label, .loop = loop, .outer = dump->loop};
    /* If its line is unknown, its operations do not count. */
    dump->loop = dump->target = loop;
}

static void close_construct(struct fortran_dump *dump)
{
    if (!dump->stack.count)
        return;
    struct fortran_open open = *ARRAY_AT(struct fortran_open, &dump->stack, --dump->stack.count);
    if (open.loop) {
        struct found_loop *loop = ARRAY_AT(struct found_loop, &dump->found->loops, open.loop - 1);
        if (dump->last_line > loop->last_line)
            loop->last_line = dump->last_line;
    }
    dump->loop = dump->target = open.outer;
}

static void count_branch(struct fortran_dump *dump)
{
    if (dump->target)
        ARRAY_AT(struct found_loop, &dump->found->loops, dump->target - 1)->branches++;
}

/* Bounds and masks of a loop's head: computed once, for the loop around it. */
static void read_head(struct fortran_dump *dump, struct line *line)
{
    while (line->at < line->end)
        fortran_expression(dump, &line->at, line->end);
}

static void read_do(struct fortran_dump *dump, struct line *line)
{
    uint32_t label = 0;
    if (take(line, "WHILE ")) {
        open_construct(dump, open_LOOP, fortran_add_loop(dump, dump->loop), 0);
        fortran_expression(dump, &line->at, line->end);
        return;
    }
    bool is_concurrent = take(line, "CONCURRENT ");
    skip_blanks(line);
    bool has_label = !is_concurrent && take_number(line, &label);
    read_head(dump, line);
    open_construct(dump, has_label ? open_LABELLED : open_LOOP, fortran_add_loop(dump, dump->loop), label);
}

static void read_assignment(struct fortran_dump *dump, struct line *line)
{
    /* The left side shows whether this is a loop. */
    uint32_t outer = dump->target;
    dump->scratch = (struct found_loop){0};
    dump->target = FORTRAN_SCRATCH;
    struct fortran_value left = fortran_expression(dump, &line->at, line->end);
    bool is_in_where = dump->stack.count &&
                       ARRAY_AT(struct fortran_open, &dump->stack, dump->stack.count - 1)->kind == open_WHERE;
    /* Without a line: gfortran itself puts the initialisation of variables before the first statement. */
    bool is_loop = left.is_array && !is_in_where && dump->line;
    dump->target = is_loop ? fortran_add_loop(dump, dump->loop) : left.is_array && !is_in_where ? 0 : outer;
    if (dump->target) {
        struct found_loop *loop = ARRAY_AT(struct found_loop, &dump->found->loops, dump->target - 1);
        loop->floating += dump->scratch.floating;
        loop->memory += dump->scratch.memory;
    }
    fortran_expression(dump, &line->at, line->end);
    dump->target = outer;
}

/* Ends of constructs may stand after a statement on its line: how many loops end there. */
static uint32_t take_ends(struct line *line)
{
    static const char *const words[] = {"END DO", "END FORALL", "END WHERE", "END SELECT"};
    uint32_t ends = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words;) {
        while (line->end > line->at && isspace((unsigned char)line->end[-1]))
            line->end--;
        size_t length = strlen(words[i]);
        if ((size_t)(line->end - line->at) >= length && !memcmp(line->end - length, words[i], length)) {
            line->end -= length;
            ends += words[i] != words[3];
            i = 0;
        } else {
            i++;
        }
    }
    return ends;
}

static void close_ended(struct fortran_dump *dump, uint32_t ends)
{
    while (ends-- && dump->stack.count &&
           ARRAY_AT(struct fortran_open, &dump->stack, dump->stack.count - 1)->kind != open_LABELLED)
        close_construct(dump);
}

/* The last statement of loops with this label was read. */
static void close_labelled(struct fortran_dump *dump, uint32_t label)
{
    while (dump->stack.count) {
        const struct fortran_open *open = ARRAY_AT(struct fortran_open, &dump->stack, dump->stack.count - 1);
        if (open->kind != open_LABELLED || open->label != label)
            break;
        close_construct(dump);
    }
}

static void read_label(struct fortran_dump *dump, uint32_t label)
{
    struct fortran_lines lines = dump->text->lines[label < FORTRAN_LABELS ? label : 0];
    if (lines.first) {
        dump->line = lines.first;
        dump->last_line = lines.last;
    }
}

static void read_statement(struct fortran_dump *dump, struct line *line)
{
    if (take(line, "DO "))
        read_do(dump, line);
    else if (take(line, "FORALL ")) {
        read_head(dump, line);
        open_construct(dump, open_LOOP, fortran_add_loop(dump, dump->loop), 0);
    } else if (take(line, "WHERE ")) {
        open_construct(dump, open_WHERE, fortran_add_loop(dump, dump->loop), 0);
        count_branch(dump);
        fortran_expression(dump, &line->at, line->end);
    } else if (take(line, "ASSIGN ")) {
        read_assignment(dump, line);
    } else if (take(line, "IF ") || take(line, "ELSE IF ") || take(line, "SELECT CASE ") ||
               take(line, "SELECT TYPE ")) {
        count_branch(dump);
        fortran_expression(dump, &line->at, line->end);
    } else if (take(line, "EXIT") || take(line, "GOTO") || take(line, "GO TO")) {
        count_branch(dump);
    } else if (take(line, "CALL ")) {
        while (line->at < line->end && *line->at != '(' && *line->at != '[')
            line->at++;
        fortran_arguments(dump, &line->at, line->end);
    } else if (take(line, "TRANSFER ")) {
        fortran_expression(dump, &line->at, line->end);
    }
}

/* A statement, with what may stand before and after it. */
static void read_code_line(struct fortran_dump *dump, struct line line)
{
    uint32_t label = 0;
    bool has_label = take_number(&line, &label);
    if (has_label)
        read_label(dump, label);
    else if (dump->text->has_includes && (starts(&line, "DO ") || starts(&line, "FORALL ")))
        dump->line = 0; /* it may come from another file */
    skip_blanks(&line);
    bool is_if = starts(&line, "IF "), ends_if = starts(&line, "ENDIF");
    uint32_t ends = take_ends(&line);
    read_statement(dump, &line);
    skip_blanks(&line);
    if (take(&line, "ELSE WHERE ")) {
        count_branch(dump);
        fortran_expression(dump, &line.at, line.end);
    }
    close_ended(dump, ends);
    struct fortran_open *open =
        dump->stack.count ? ARRAY_AT(struct fortran_open, &dump->stack, dump->stack.count - 1) : NULL;
    if (!open || open->kind != open_LABELLED)
        return;
    if (has_label && label == open->label && is_if)
        open->ends_with_if = true;
    else if ((has_label && label == open->label) || (ends_if && open->ends_with_if))
        close_labelled(dump, open->label);
}

void fortran_read_dump(struct fortran_dump *dump, const char *text, size_t size)
{
    const char *end = text + size;
    struct described described = {{text, text}, false};
    bool is_code = false, is_ours = true;
    dump->symbols = ARRAY_OF(struct fortran_symbol);
    dump->stack = ARRAY_OF(struct fortran_open);
    for (const char *at = text; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct line line = {at, stop ? stop : end};
        at = stop ? stop + 1 : end;
        skip_blanks(&line);
        if (starts(&line, "Namespace:") || starts(&line, "CONTAINS"))
            is_code = false;
        else if (starts(&line, "code:"))
            is_code = true;
        else if (starts(&line, "procedure name = "))
            is_ours = !starts(&line, "procedure name = __");
        if (!read_symbol_line(dump, line, &described) && is_code && is_ours)
            read_code_line(dump, line);
    }
    strings_free(&dump->names);
    array_free(&dump->symbols);
    array_free(&dump->stack);
    array_free(&dump->frames);
}
