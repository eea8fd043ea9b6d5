/* Where nodes stand in an IA-64 listing: between bundles.

   A bundle in the text begins with a brace, with its template, or, where the listing leaves bundling to the
   assembler, with its first instruction.  A node before an instruction stands before its whole bundle: other
   instructions of the bundle come after it, which is the same for a clock and for what the node reads, as
   long as nothing in the bundle before the instruction writes it.  Directives about the instructions that
   follow (unwind information, templates, relations of predicates) stay with them. */
#include "run/probe/nodes/parts.h"

#include <stddef.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

static size_t start_of(const struct node_lines *lines, uint32_t line)
{
    return *ARRAY_AT(size_t, &lines->starts, line);
}

struct bundle_rows {
    uint32_t first, last;
};

const struct bundle *node_bundle_of(const struct model *model, uint32_t instruction)
{
    size_t at = array_first_not_below(&model->bundles, 0, offsetof(struct bundle, first_instruction),
                                      instruction + 1);
    const struct bundle *bundle = at ? model_bundle(model, (uint32_t)at - 1) : NULL;
    return bundle && instruction - bundle->first_instruction < bundle->instruction_count ? bundle : NULL;
}

/* The instructions of the bundle; the instruction alone where there are no bundles. */
static struct bundle_rows bundle_of(const struct model *model, uint32_t instruction)
{
    const struct bundle *bundle = node_bundle_of(model, instruction);
    if (!bundle)
        return (struct bundle_rows){instruction, instruction};
    return (struct bundle_rows){bundle->first_instruction,
                                bundle->first_instruction + bundle->instruction_count - 1};
}

/* Past blanks. */
static const char *past_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static bool is_template(const char *at, size_t length)
{
    bool is_it = length >= 4 && *at == '.';
    for (size_t i = 1; is_it && i < length; i++)
        is_it = strchr("mibflxMIBFLX", at[i]) != NULL;
    return is_it && length <= 4;
}

/* What stands between two offsets of a line before an instruction: nothing, or how a bundle begins. */
static bool is_opening(const char *at, const char *end)
{
    at = past_blanks(at, end);
    if (at < end && *at == '{')
        at = past_blanks(at + 1, end);
    const char *stop = at;
    while (stop < end && !is_blank(*stop) && *stop != '\n' && *stop != ';' && *stop != '/')
        stop++;
    if (stop > at && !is_template(at, (size_t)(stop - at)))
        return false;
    at = past_blanks(stop, end);
    if (at < end && *at == ';')
        at = past_blanks(at + 1, end);
    return at == end || *at == '\n' || (at + 1 < end && at[0] == '/' && at[1] == '/');
}

/* Directives about what follows. */
static bool is_about_next(const char *at, const char *end)
{
    static const char *const words[] = {".save",       ".fframe",   ".vframe",     ".altrp",
                                        ".unwabi",     ".spill",    ".restore",    ".label_state",
                                        ".copy_state", ".pred.rel", ".mem.offset", ".regstk",
                                        ".rot",        ".explicit", ".auto",       ".loc"};
    at = past_blanks(at, end);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if ((size_t)(end - at) >= strlen(words[i]) && !memcmp(at, words[i], strlen(words[i])))
            return true;
    return false;
}

static bool has_instruction_or_label(const struct node_lines *lines, uint32_t line)
{
    size_t first =
        array_first_not_below(&lines->instructions, 0, offsetof(struct node_instruction, line), line);
    if (first < lines->instructions.count &&
        ARRAY_AT(struct node_instruction, &lines->instructions, first)->line == line)
        return true;
    size_t label = array_first_not_below(&lines->labels, 0, offsetof(struct node_name, line), line);
    return label < lines->labels.count && ARRAY_AT(struct node_name, &lines->labels, label)->line == line;
}

/* Up over lines that belong to the bundle at this line. */
static uint32_t above(const struct node_lines *lines, uint32_t line)
{
    uint32_t found = line;
    for (uint32_t at = line; at > 0;) {
        const char *start = lines->text + start_of(lines, at - 1), *end = lines->text + start_of(lines, at);
        if (has_instruction_or_label(lines, at - 1))
            break;
        at--;
        bool is_stop = past_blanks(start, end) + 1 < end && !memcmp(past_blanks(start, end), ";;", 2);
        if (is_stop || *past_blanks(start, end) == '}')
            break;
        bool is_comment = past_blanks(start, end) == end || *past_blanks(start, end) == '\n';
        if (is_opening(start, end) || is_about_next(start, end))
            found = is_comment ? found : at;
        else if (*past_blanks(start, end) != '/')
            break;
    }
    return found;
}

size_t node_before_bundle(const struct node_lines *lines, uint32_t instruction)
{
    struct bundle_rows rows = bundle_of(lines->model, instruction);
    const struct node_instruction *place = node_lines_find(lines, rows.first);
    if (!place || !place->column || !node_lines_find(lines, instruction))
        return SIZE_MAX;
    size_t start = start_of(lines, place->line), offset = start + place->column - 1;
    if (offset > start_of(lines, place->line + 1))
        return SIZE_MAX;
    if (is_opening(lines->text + start, lines->text + offset))
        return start_of(lines, above(lines, place->line));
    const char *brace = memchr(lines->text + start, '{', offset - start);
    return brace ? (size_t)(brace - lines->text) : rows.first == instruction ? offset : SIZE_MAX;
}

size_t node_after_bundle(const struct node_lines *lines, uint32_t instruction)
{
    struct bundle_rows rows = bundle_of(lines->model, instruction);
    const struct node_instruction *first = node_lines_find(lines, rows.first),
                                  *place = node_lines_find(lines, instruction);
    if (!place || !first || rows.last != instruction)
        return SIZE_MAX;
    size_t open = start_of(lines, above(lines, first->line)), end = start_of(lines, place->line + 1);
    const char *brace = memchr(lines->text + open, '{', end - open);
    for (uint32_t line = place->line; line + 1 < lines->starts.count; line++) {
        const char *start = lines->text + start_of(lines, line),
                   *stop = lines->text + start_of(lines, line + 1);
        const char *comment = memmem(start, (size_t)(stop - start), "//", 2);
        bool closes = memchr(start, '}', (size_t)((comment ? comment : stop) - start)) != NULL;
        if (line > place->line && has_instruction_or_label(lines, line))
            return SIZE_MAX;
        if (brace && closes)
            return start_of(lines, line + 1);
        if (!brace) {
            const char *next = stop, *limit = lines->text + lines->size;
            next = past_blanks(next, limit);
            bool has_stop = next + 1 < limit && !memcmp(next, ";;", 2);
            return has_stop ? start_of(lines, line + 2) : start_of(lines, line + 1);
        }
    }
    return SIZE_MAX;
}

bool node_is_written_before(const struct model *model, uint32_t instruction, const char *name)
{
    for (uint32_t i = bundle_of(model, instruction).first; i < instruction; i++) {
        uint32_t encoding = model_instruction(model, i)->encoding;
        size_t at = array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding),
                                          encoding);
        for (;
             at < model->register_uses.count && model_register_use(model, (uint32_t)at)->encoding == encoding;
             at++) {
            const struct register_use *use = model_register_use(model, (uint32_t)at);
            if (use->access & access_WRITE &&
                !strcmp(model_text(model, model_register(model, use->register_)->name), name))
                return true;
        }
    }
    return false;
}

size_t node_taken_bundle(const struct node_lines *lines, uint32_t instruction)
{
    const struct model *model = lines->model;
    uint32_t predicate = model_encoding(model, model_instruction(model, instruction)->encoding)->predicate;
    bool is_late =
        predicate &&
        node_is_written_before(model, instruction, model_text(model, model_register(model, predicate)->name));
    return is_late ? SIZE_MAX : node_before_bundle(lines, instruction);
}
