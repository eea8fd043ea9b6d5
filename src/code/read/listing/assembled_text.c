/* The text of a listing becomes statements, as GNU as splits it: comments, strings and character constants
   are skipped, labels removed, the bodies of macros and repetitions skipped.  Nothing is checked here: the
   assembler does that.  Time and memory are linear in the text.

   x86:      # starts a comment anywhere, / at the start of a statement.
   AArch64:  // starts a comment anywhere, # at the start of a statement.
   Both:     slash-star comments, ; between statements, 'x and 'x' for characters, "…" over line ends.

   A line such as `# 7 "x.c"` tells the assembler which file and line to name in its messages.  Its # or // is
   doubled in the copy, because messages must refer to the lines of the listing. */
#include "code/read/listing/assembled.h"

#include "code/read/isa.h"
#include "model/isa.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct lexer {
    const char *start, *at, *end, *line_start;
    uint32_t line;
    bool is_x86;
    char *(*assemble)(struct span, struct span); /* as isa_reader.assemble says */
    const char *prefix;
    unsigned file, spacing;
    struct assembled_text *result;
    const char *copied; /* the copy holds the text up to here */
    struct assembled_sections sections;
    struct strings macros;          /* names in small letters */
    bool is_mark_due;               /* the next emitter must have one */
    uint32_t run;                   /* instructions from the last mark on */
    uint32_t last_on_line;          /* the last emitter of this line, from 1; 0: none */
    bool is_line_used;              /* has more than spaces and comments */
    unsigned condition_depth;       /* open .if */
    bool is_section_conditional;    /* the section was changed inside them */
    enum directive_effect skipping; /* MACRO or REPEAT: inside such a body; EMITS: not */
    unsigned skip_depth;
};

static struct span span_of(const char *start, const char *end)
{
    return (struct span){(const uint8_t *)start, (size_t)(end - start)};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || (unsigned char)c >= 0x80;
}

static struct span trimmed(const char *start, const char *end)
{
    while (start < end && (is_blank(*start) || *start == '\n'))
        start++;
    while (end > start && (is_blank(end[-1]) || end[-1] == '\n'))
        end--;
    return span_of(start, end);
}

static void append(struct array *copy, const char *bytes, size_t size)
{
    if (size)
        memcpy(array_add_many(copy, size), bytes, size);
}

static void copy_until(struct lexer *lexer, const char *place)
{
    append(&lexer->result->copy, lexer->copied, (size_t)(place - lexer->copied));
    lexer->copied = place;
}

static void emit(struct lexer *lexer, enum emitter_kind kind, const char *place)
{
    struct array *emitters = &lexer->result->emitters;
    bool is_plain = kind == emitter_INSTRUCTION;
    bool has_mark = lexer->spacing && (lexer->is_mark_due || !is_plain || lexer->run >= lexer->spacing);
    *(struct emitter *)array_add(emitters) =
        (struct emitter){.line = lexer->line,
                         .column = (uint32_t)(place - lexer->line_start) + 1,
                         .kind = (uint8_t)kind,
                         .has_mark = has_mark};
    if (has_mark) {
        char mark[64];
        int length =
            snprintf(mark, sizeof mark, "%s%x$%zx:", lexer->prefix, lexer->file, emitters->count - 1);
        copy_until(lexer, place);
        append(&lexer->result->copy, mark, (size_t)length);
        lexer->run = 0;
    }
    lexer->run++;
    lexer->is_mark_due = !is_plain;
    lexer->last_on_line = (uint32_t)emitters->count;
}

static void add_word(struct lexer *lexer, enum directive_kind kind, uint32_t line, struct span name,
                     struct span text)
{
    uint32_t emitter = lexer->sections.is_code ? (uint32_t)lexer->result->emitters.count : NO_EMITTER;
    *(struct assembled_word *)array_add(&lexer->result->words) =
        (struct assembled_word){line, emitter, (uint8_t)kind, name, text};
}

/* Comments. */

static bool is_block_comment(const struct lexer *lexer)
{
    return lexer->end - lexer->at >= 2 && lexer->at[0] == '/' && lexer->at[1] == '*';
}

static bool is_comment(const struct lexer *lexer, bool is_first)
{
    char c = *lexer->at;
    bool is_double = c == '/' && lexer->end - lexer->at >= 2 && lexer->at[1] == '/';
    if (lexer->is_x86)
        return c == '#' || (is_first && c == '/' && !is_block_comment(lexer));
    return is_double || (is_first && c == '#');
}

static void keep_comment(struct lexer *lexer, uint32_t line, struct span text)
{
    if (lexer->skipping != directive_EMITS)
        return;
    if (lexer->last_on_line) {
        struct emitter *emitter = ARRAY_AT(struct emitter, &lexer->result->emitters, lexer->last_on_line - 1);
        if (!emitter->comment.size)
            emitter->comment = text;
    } else if (!lexer->is_line_used) {
        add_word(lexer, directive_kind_COMMENT, line, (struct span){0}, text);
    }
}

static void take_newline(struct lexer *lexer)
{
    lexer->at++;
    lexer->line++;
    lexer->line_start = lexer->at;
    lexer->last_on_line = 0;
    lexer->is_line_used = false;
}

static void take_block_comment(struct lexer *lexer)
{
    const char *start = lexer->at + 2, *close = start;
    uint32_t line = lexer->line;
    while (close < lexer->end && (close = memchr(close, '*', (size_t)(lexer->end - close)))) {
        if (close + 1 < lexer->end && close[1] == '/')
            break;
        close++;
    }
    const char *stop = close && close < lexer->end ? close : lexer->end;
    keep_comment(lexer, line, trimmed(start, stop));
    lexer->at = start;
    while (lexer->at < stop) {
        const char *newline = memchr(lexer->at, '\n', (size_t)(stop - lexer->at));
        lexer->at = newline ? newline : stop;
        if (newline)
            take_newline(lexer);
    }
    if (stop < lexer->end)
        lexer->at = stop + 2;
}

static bool starts_with_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && !memcmp(at, word, length) &&
           ((size_t)(end - at) == length || !is_name(at[length]));
}

/* `# 7 "x.c"` and directives of a source that was not preprocessed. */
static bool is_preprocessor(const char *at, const char *end)
{
    static const char *const words[] = {"include", "define", "undef", "if",   "ifdef",
                                        "ifndef",  "else",   "endif", "elif", "pragma"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (starts_with_word(at, end, words[i]))
            return true;
    while (at < end && is_blank(*at))
        at++;
    return at < end && isdigit((unsigned char)*at);
}

static void take_line_comment(struct lexer *lexer, bool is_first)
{
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    const char *stop = newline ? newline : lexer->end, *text = lexer->at;
    if (is_first && *text == '#' && is_preprocessor(text + 1, stop)) {
        copy_until(lexer, text);
        append(&lexer->result->copy, "#", 1);
        struct span line = trimmed(text + 1, stop);
        if (lexer->skipping == directive_EMITS)
            add_word(lexer, directive_kind_PREPROCESSOR, lexer->line, (struct span){0}, line);
    } else {
        while (text < stop && (*text == '#' || *text == '/'))
            text++;
        keep_comment(lexer, lexer->line, trimmed(text, stop));
    }
    lexer->at = stop;
}

/* Spaces and slash-star comments. */
static void skip_blanks(struct lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (is_blank(*lexer->at))
            lexer->at++;
        else if (is_block_comment(lexer))
            take_block_comment(lexer);
        else
            return;
    }
}

/* Statements. */

static void skip_string(struct lexer *lexer)
{
    lexer->at++;
    while (lexer->at < lexer->end && *lexer->at != '"') {
        if (*lexer->at == '\\' && lexer->at + 1 < lexer->end && lexer->at[1] != '\n')
            lexer->at += 2;
        else if (*lexer->at == '\n')
            take_newline(lexer);
        else
            lexer->at++;
    }
    if (lexer->at < lexer->end)
        lexer->at++;
}

static void skip_character(struct lexer *lexer)
{
    lexer->at++;
    if (lexer->at < lexer->end && *lexer->at == '\\')
        lexer->at++;
    if (lexer->at < lexer->end && *lexer->at != '\n')
        lexer->at++;
    if (lexer->at < lexer->end && *lexer->at == '\'')
        lexer->at++;
}

/* To the end of the statement: its text from here on. */
static struct span take_rest(struct lexer *lexer)
{
    const char *start = lexer->at, *stop = start;
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '\n' || c == ';' || ((c == '#' || c == '/') && is_comment(lexer, false)))
            break;
        if (c == '"') {
            skip_string(lexer);
        } else if (c == '\'') {
            skip_character(lexer);
        } else if (is_block_comment(lexer)) {
            take_block_comment(lexer);
            continue;
        } else {
            lexer->at++;
            if (is_blank(c))
                continue;
        }
        stop = lexer->at;
    }
    return trimmed(start, stop);
}

static struct span take_name(struct lexer *lexer)
{
    const char *start = lexer->at;
    if (lexer->at < lexer->end && *lexer->at == '"') {
        const char *close = start + 1;
        while (close < lexer->end && *close != '"' && *close != '\n')
            close += *close == '\\' && close + 1 < lexer->end && close[1] != '\n' ? 2 : 1;
        if (close < lexer->end && *close == '"')
            lexer->at = close + 1;
    } else {
        while (lexer->at < lexer->end && is_name(*lexer->at))
            lexer->at++;
    }
    return span_of(start, lexer->at);
}

/* The characters after a name, without spaces. */
static char next_sign(const struct lexer *lexer)
{
    const char *at = lexer->at;
    while (at < lexer->end && is_blank(*at))
        at++;
    return at < lexer->end ? *at : '\n';
}

static bool is_word(struct span name, const char *word)
{
    return name.size == strlen(word) && !strncasecmp((const char *)name.data, word, name.size);
}

/* A skipped body: only its end matters, and nested bodies. */
static bool is_skipped(struct lexer *lexer, enum directive_effect effect)
{
    if (lexer->skipping == directive_EMITS)
        return false;
    enum directive_effect end =
        lexer->skipping == directive_MACRO ? directive_END_MACRO : directive_END_REPEAT;
    if (effect == lexer->skipping)
        lexer->skip_depth++;
    else if (effect == end)
        lexer->skip_depth--;
    if (lexer->skip_depth)
        return true;
    lexer->skipping = directive_EMITS;
    return false;
}

/* Interned in lower case: names of macros are case-insensitive. */
static string_id macro_name(struct lexer *lexer, const char *start, size_t length, bool is_new)
{
    char name[128];
    if (!length || length >= sizeof name)
        return 0;
    for (size_t i = 0; i < length; i++)
        name[i] = (char)tolower((unsigned char)start[i]);
    name[length] = 0;
    if (memchr(name, 0, length))
        return 0;
    return is_new ? strings_add(&lexer->macros, name) : strings_find(&lexer->macros, name);
}

static void take_condition(struct lexer *lexer, struct span name)
{
    bool opens = !strncasecmp((const char *)name.data, ".if", 3);
    lexer->condition_depth += opens;
    lexer->condition_depth -= is_word(name, ".endif") && lexer->condition_depth > 0;
    if (!opens && lexer->is_section_conditional)
        lexer->sections.is_code = true; /* or not, but the mark does no harm */
    if (!lexer->condition_depth)
        lexer->is_section_conditional = false;
    lexer->is_mark_due = true;
}

/* Directives left out of the copy: those that Clang writes for LLVM's linker and GNU as rejects, and the name
   of the source, which as would list among the files that it read. */
static bool is_left_out(struct span name, struct span text)
{
    return is_word(name, ".addrsig") || is_word(name, ".addrsig_sym") || is_word(name, ".lto_discard") ||
           (is_word(name, ".file") && text.size && *text.data == '"');
}

static void take_directive(struct lexer *lexer, struct span name, enum directive_effect effect)
{
    const char *start = (const char *)name.data;
    uint32_t line = lexer->line;
    struct span text;
    if (effect == directive_SECTION) {
        if (lexer->sections.is_code)
            emit(lexer, emitter_BORDER, start);
        text = take_rest(lexer);
        assembled_enter_section(&lexer->sections, start, name.size, text);
        lexer->is_section_conditional |= lexer->condition_depth > 0;
        lexer->is_mark_due = true;
        add_word(lexer, directive_kind_DIRECTIVE, line, name, text);
        lexer->last_on_line = 0;
        return;
    }
    size_t word = lexer->result->words.count;
    add_word(lexer, directive_kind_DIRECTIVE, line, name, (struct span){0});
    if (lexer->sections.is_code && (effect == directive_EMITS || effect == directive_REPEAT))
        emit(lexer, emitter_OTHER, start);
    text = take_rest(lexer);
    ARRAY_AT(struct assembled_word, &lexer->result->words, word)->text = text;
    if (is_left_out(name, text) && lexer->line == line) {
        copy_until(lexer, start);
        lexer->copied = lexer->at;
    }
    if (effect == directive_CONDITION)
        take_condition(lexer, name);
    if (effect == directive_MACRO || effect == directive_REPEAT) {
        lexer->skipping = effect;
        lexer->skip_depth = 1;
    }
    if (effect == directive_MACRO) {
        size_t length = 0;
        while (length < text.size && is_name((char)text.data[length]))
            length++;
        macro_name(lexer, (const char *)text.data, length, true);
    }
    if (is_word(name, ".include"))
        lexer->sections.is_code = true;
    lexer->last_on_line = 0;
}

/* Statements that are not exactly one instruction: separate prefixes, and old floating-point instructions
   that the assembler puts a wait before. */
static bool is_irregular(const struct lexer *lexer, struct span name)
{
    static const char *const prefixes[] = {
        "rep", "repe", "repz",     "repne",    "repnz",  "lock",   "cs",     "ds",     "es",  "fs",
        "gs",  "ss",   "xacquire", "xrelease", "data16", "data32", "addr16", "addr32", "bnd", "notrack"};
    static const char *const waiting[] = {"fstsw",  "fstcw", "finit", "fclex", "fsave",
                                          "fstenv", "fdisi", "feni",  "fsetpm"};
    if (!lexer->is_x86)
        return false;
    for (unsigned i = 0; i < sizeof waiting / sizeof *waiting; i++)
        if (name.size >= strlen(waiting[i]) &&
            !strncasecmp((const char *)name.data, waiting[i], strlen(waiting[i])))
            return true;
    if (!strchr("\n;#", next_sign(lexer)))
        return false;
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (is_word(name, prefixes[i]))
            return true;
    return name.size >= 3 && !strncasecmp((const char *)name.data, "rex", 3);
}

static bool is_one_of(struct span name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(name, words[i]))
            return true;
    return false;
}

static bool is_end(const struct lexer *lexer, struct span name)
{
    static const char *const x86[] = {"ret", "retq", "retl", "jmp", "jmpq", "jmpl", "ud2", "hlt", "iretq"};
    static const char *const aarch64[] = {"ret", "b", "br", "udf", "brk", "retaa", "retab", "eret"};
    return lexer->is_x86 ? is_one_of(name, x86, sizeof x86 / sizeof *x86)
                         : is_one_of(name, aarch64, sizeof aarch64 / sizeof *aarch64);
}

static bool is_call(const struct lexer *lexer, struct span name)
{
    static const char *const words[] = {"call", "callq", "calll", "bl"};
    return lexer->is_x86 ? is_one_of(name, words, 3) : is_word(name, words[3]);
}

/* A jump, a branch or a call. */
static bool is_transfer(const struct lexer *lexer, struct span name)
{
    static const char *const aarch64[] = {"b", "bl", "cbz", "cbnz", "tbz", "tbnz"};
    if (!name.size)
        return false;
    char first = (char)tolower(name.data[0]);
    if (lexer->is_x86)
        return first == 'j' || first == 'c'
                   ? first == 'j' || is_call(lexer, name)
                   : first == 'l' && name.size >= 4 && !strncasecmp((const char *)name.data, "loop", 4);
    return is_one_of(name, aarch64, sizeof aarch64 / sizeof *aarch64) ||
           (first == 'b' && name.size >= 3 && name.size <= 4) ||
           (first == 'b' && name.size > 2 && name.data[1] == '.');
}

/* The last operand, if it is a plain name; the first one of jkzd and jknzd, which have a mask behind it. */
static void add_reference(struct lexer *lexer, struct span name, struct span operands)
{
    size_t length = 0;
    bool has_mask = name.size > 2 && !strncasecmp((const char *)name.data, "jk", 2);
    const uint8_t *comma = has_mask && operands.size ? memchr(operands.data, ',', operands.size) : NULL;
    if (comma)
        operands.size = (size_t)(comma - operands.data);
    while (length < operands.size && is_name((char)operands.data[operands.size - 1 - length]))
        length++;
    struct span target = {operands.data + operands.size - length, length};
    bool is_alone = length == operands.size || strchr(", \t", (char)target.data[-1]);
    if (length && is_alone)
        *(struct assembled_reference *)array_add(&lexer->result->references) =
            (struct assembled_reference){target, is_call(lexer, name)};
}

/* The text after a name, without moving on; empty if the statement goes on in the next line. */
static struct span operands_after(const struct lexer *lexer)
{
    const char *end = lexer->at;
    while (end < lexer->end && !strchr("\n;#\"'", *end) && *end)
        end++;
    return trimmed(lexer->at, end);
}

/* A statement that the assembler does not know becomes bytes.  It connects lines of debug information with
   instructions and marked labels only, so there is a mark, and it counts. */
static void replace_instruction(struct lexer *lexer, const char *start, const char *directives)
{
    static const char counts[] = ".loc_mark_labels 1;", counts_not[] = ".loc_mark_labels 0;";
    copy_until(lexer, start);
    append(&lexer->result->copy, counts, sizeof counts - 1);
    lexer->is_mark_due = true;
    emit(lexer, emitter_INSTRUCTION, start);
    append(&lexer->result->copy, counts_not, sizeof counts_not - 1);
    append(&lexer->result->copy, directives, strlen(directives));
}

static void take_plain_instruction(struct lexer *lexer, struct span name)
{
    const char *start = (const char *)name.data;
    autofree char *directives = lexer->assemble ? lexer->assemble(name, operands_after(lexer)) : NULL;
    bool is_odd = is_irregular(lexer, name);
    lexer->sections.is_code = true; /* whatever the section seems to be */
    lexer->is_mark_due |= is_odd;
    if (directives)
        replace_instruction(lexer, start, directives);
    else
        emit(lexer, emitter_INSTRUCTION, start);
    lexer->is_mark_due = is_odd;
    size_t emitter = lexer->result->emitters.count - 1;
    ARRAY_AT(struct emitter, &lexer->result->emitters, emitter)->is_end = is_end(lexer, name);
    struct span operands = take_rest(lexer);
    if (directives)
        lexer->copied = lexer->at;
    if (is_transfer(lexer, name))
        add_reference(lexer, name, operands);
}

static void take_instruction(struct lexer *lexer, struct span name)
{
    const char *start = (const char *)name.data;
    if (!macro_name(lexer, start, name.size, false)) {
        take_plain_instruction(lexer, name);
        return;
    }
    size_t word = lexer->result->words.count;
    add_word(lexer, directive_kind_MACRO, lexer->line, name, (struct span){0});
    if (lexer->sections.is_code)
        emit(lexer, emitter_OTHER, start);
    struct span text = take_rest(lexer);
    ARRAY_AT(struct assembled_word, &lexer->result->words, word)->text = text;
    lexer->sections.is_code = true; /* a macro may change the section */
}

static void take_assignment(struct lexer *lexer, struct span name)
{
    size_t word = lexer->result->words.count;
    add_word(lexer, directive_kind_ASSIGNMENT, lexer->line, name, (struct span){0});
    if (is_word(name, ".") && lexer->sections.is_code)
        emit(lexer, emitter_OTHER, (const char *)name.data);
    while (is_blank(*lexer->at))
        lexer->at++;
    while (lexer->at < lexer->end && *lexer->at == '=')
        lexer->at++;
    struct span text = take_rest(lexer);
    ARRAY_AT(struct assembled_word, &lexer->result->words, word)->text = text;
    lexer->last_on_line = 0;
}

static bool is_register_name(const struct lexer *lexer)
{
    const char *at = lexer->at;
    while (at < lexer->end && is_blank(*at))
        at++;
    return !lexer->is_x86 && at > lexer->at && lexer->end - at > 5 && !strncasecmp(at, ".req", 4) &&
           is_blank(at[4]);
}

static void take_statement(struct lexer *lexer)
{
    struct span name;
    for (;;) {
        lexer->is_line_used = true;
        name = take_name(lexer);
        if (!name.size || next_sign(lexer) != ':')
            break;
        if (lexer->skipping == directive_EMITS)
            add_word(lexer, directive_kind_LABEL, lexer->line, name, (struct span){0});
        while (*lexer->at++ != ':')
            ;
        lexer->last_on_line = 0;
        skip_blanks(lexer);
        if (lexer->at == lexer->end || *lexer->at == '\n' || *lexer->at == ';' || is_comment(lexer, false))
            return;
    }
    enum directive_effect effect = assembled_directive((const char *)name.data, name.size);
    bool is_directive = name.size && *name.data == '.';
    if (is_skipped(lexer, is_directive ? effect : directive_EMITS))
        take_rest(lexer);
    else if (name.size && (next_sign(lexer) == '=' || is_register_name(lexer)))
        take_assignment(lexer, name);
    else if (is_directive && !macro_name(lexer, (const char *)name.data, name.size, false))
        take_directive(lexer, name, effect);
    else
        take_instruction(lexer, name);
}

static void take_anything(struct lexer *lexer)
{
    skip_blanks(lexer);
    if (lexer->at == lexer->end)
        return;
    if (*lexer->at == '\n')
        take_newline(lexer);
    else if (*lexer->at == ';')
        lexer->at++;
    else if (is_comment(lexer, true))
        take_line_comment(lexer, !lexer->is_line_used);
    else
        take_statement(lexer);
}

void assembled_lex(struct span text, enum isa isa, const char *prefix, unsigned file, unsigned spacing,
                   struct assembled_text *result)
{
    const char *start = (const char *)text.data;
    struct lexer lexer = {.start = start,
                          .at = start,
                          .end = start + text.size,
                          .line_start = start,
                          .line = 1,
                          .is_x86 = isa_facts(isa)->is_x86,
                          .assemble = isa_reader(isa) ? isa_reader(isa)->assemble : NULL,
                          .prefix = prefix,
                          .file = file,
                          .spacing = spacing,
                          .result = result,
                          .copied = start,
                          .sections = {.is_code = true, .was_code = true},
                          .is_mark_due = true,
                          .skipping = directive_EMITS};
    *result = (struct assembled_text){.emitters = ARRAY_OF(struct emitter),
                                      .words = ARRAY_OF(struct assembled_word),
                                      .references = ARRAY_OF(struct assembled_reference),
                                      .copy = ARRAY_OF(char)};
    array_reserve(&result->copy, text.size + text.size / 8 + 64);
    append(&result->copy, " ",
           1); /* #NO_APP in the first line would turn off the assembler's handling of comments */
    while (lexer.at < lexer.end)
        take_anything(&lexer);
    copy_until(&lexer, lexer.end);
    if (spacing && lexer.sections.is_code && lexer.skipping == directive_EMITS) {
        if (text.size && text.data[text.size - 1] != '\n')
            append(&result->copy, "\n", 1);
        emit(&lexer, emitter_BORDER, lexer.end);
        append(&result->copy, "\n", 1);
    }
    result->line_count = lexer.line;
    strings_free(&lexer.macros);
}

void assembled_free(struct assembled_text *text)
{
    array_free(&text->emitters);
    array_free(&text->words);
    array_free(&text->references);
    array_free(&text->copy);
}
