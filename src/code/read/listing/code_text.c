#include "code/read/listing/code_text.h"

#include "base/text.h"
#include "model/tables.h"
#include "code/read/isa.h"
#include "code/read/listing/text_code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_REACH = 127, SHORT_JUMP = 2, LONGEST_NAME = 120 };

/* How a line is spelled: as it is, with one of these in front (x86), or as bytes. */
static const char *const prefixes[] = {"",         "{load} ", "{store} ", "{disp32} ",
                                       "{disp8} ", "{vex3} ", "{evex} ",  "{rex} "};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes, RAW = PREFIXES };

struct writing {
    struct code_text *work;
    bool is_x86;
    uint8_t *spellings;   /* of each line: index of prefixes, or RAW */
    uint32_t *first_line; /* of the text: where each line of code stands */
    bool *has_label;
    uint64_t *offsets; /* of each line in the piece without holes; one more for the end */
    FILE *out;
    uint32_t line; /* that is being written, from 1 */
};

/* The line at an address; count: none. */
static size_t line_at(const struct code_text *work, uint64_t address)
{
    for (size_t i = 0; i < work->count; i++)
        if (work->lines[i].address == address)
            return i;
    return work->count;
}

static bool is_transfer(const struct code_line *line)
{
    return line->flow == flow_JUMP || line->flow == flow_BRANCH;
}

static void end_line(struct writing *writing)
{
    putc('\n', writing->out);
    writing->line++;
}

static void write_label(struct writing *writing, size_t line)
{
    if (line == writing->work->start)
        fputs("top", writing->out);
    else
        fprintf(writing->out, "L%zu", line + 1);
}

/* A jump out of the piece that is too short for a name outside of it leads to a label at the end. */
static bool needs_end(const struct writing *writing, const struct code_line *line)
{
    return writing->is_x86 && is_transfer(line) && line->size == SHORT_JUMP && line->target != NO_ADDRESS &&
           line_at(writing->work, line->target) == writing->work->count;
}

static void write_target(struct writing *writing, const struct code_line *line)
{
    size_t there = is_transfer(line) ? line_at(writing->work, line->target) : writing->work->count;
    if (there < writing->work->count)
        write_label(writing, there);
    else
        fprintf(writing->out, "%s_%04llx",
                line->flow == flow_CALL ? "fn"
                : is_transfer(line)     ? "out"
                                        : "data",
                (unsigned long long)line->target);
}

/* st3, a register of the x87, which the assembler spells st(3). */
static bool is_stack_register(const struct writing *writing, const char *text, const char *at)
{
    return writing->is_x86 && at > text && (at[-1] == ' ' || at[-1] == ',') && at[0] == 's' && at[1] == 't' &&
           at[2] >= '0' && at[2] <= '7' && !isalnum((unsigned char)at[3]);
}

static void write_instruction(struct writing *writing, const struct code_line *line)
{
    for (const char *at = line->text; *at; at++) {
        if (*at == '@' && line->target != NO_ADDRESS) {
            if (writing->is_x86 && at > line->text && at[-1] == '[')
                fputs("rip+", writing->out);
            write_target(writing, line);
        } else if (is_stack_register(writing, line->text, at)) {
            fprintf(writing->out, "st(%c)", at[2]);
            at += 2;
        } else {
            putc(*at, writing->out);
        }
    }
}

static void write_raw(struct writing *writing, const struct code_line *line)
{
    if (!writing->is_x86 && line->size == 4) {
        fprintf(writing->out, ".inst 0x%02x%02x%02x%02x", line->bytes[3], line->bytes[2], line->bytes[1],
                line->bytes[0]);
        return;
    }
    for (unsigned i = 0; i < line->size; i++)
        fprintf(writing->out, "%s0x%02x", i ? ", " : ".byte ", line->bytes[i]);
}

static void write_name(struct writing *writing, const char *name)
{
    char *safe = text_safe(name, strnlen(name, LONGEST_NAME));
    fprintf(writing->out, "  %s %s", writing->is_x86 ? "#" : "//", safe);
    free(safe);
}

/* A near jump to a place that a short one would reach. */
static bool is_overlong(const struct writing *writing, size_t line)
{
    const struct code_line *at = &writing->work->lines[line];
    size_t there = line_at(writing->work, at->target);
    if (!writing->is_x86 || !is_transfer(at) || at->size <= SHORT_JUMP || at->target == NO_ADDRESS ||
        there == writing->work->count)
        return false;
    int64_t distance = (int64_t)(writing->offsets[there] - writing->offsets[line + 1]);
    return distance <= SHORT_REACH + 8 && distance >= -SHORT_REACH - 8;
}

static void write_line(struct writing *writing, size_t number)
{
    const struct code_line *line = &writing->work->lines[number];
    unsigned spelling = writing->spellings[number];
    fputs("    ", writing->out);
    if (spelling == RAW) {
        write_raw(writing, line);
        fputs(writing->is_x86 ? "  # " : "  // ", writing->out);
    } else {
        fputs(!spelling && is_overlong(writing, number) ? "{disp32} " : prefixes[spelling], writing->out);
    }
    write_instruction(writing, line);
    bool is_label = is_transfer(line) && line_at(writing->work, line->target) < writing->work->count;
    if (line->name && spelling != RAW && !is_label)
        write_name(writing, line->name);
    end_line(writing);
}

static void find_labels(struct writing *writing)
{
    const struct code_text *work = writing->work;
    for (size_t i = 0; i < work->count; i++) {
        const struct code_line *line = &work->lines[i];
        size_t there =
            is_transfer(line) && line->target != NO_ADDRESS ? line_at(work, line->target) : work->count;
        if (there < work->count)
            writing->has_label[there] = true;
        writing->offsets[i + 1] = writing->offsets[i] + line->size;
    }
    writing->has_label[work->start] = true;
}

static void write_ends(struct writing *writing)
{
    const struct code_text *work = writing->work;
    for (size_t i = 0; i < work->count; i++) {
        bool is_first = needs_end(writing, &work->lines[i]);
        for (size_t k = 0; is_first && k < i; k++)
            is_first =
                !(needs_end(writing, &work->lines[k]) && work->lines[k].target == work->lines[i].target);
        if (!is_first)
            continue;
        write_target(writing, &work->lines[i]);
        putc(':', writing->out);
        end_line(writing);
    }
}

static char *write_all(struct writing *writing)
{
    const struct code_text *work = writing->work;
    char *text = NULL;
    size_t size = 0;
    writing->out = open_memstream(&text, &size);
    if (!writing->out)
        return NULL;
    writing->line = 1;
    if (writing->is_x86) {
        fputs(".intel_syntax noprefix", writing->out);
        end_line(writing);
    }
    for (size_t i = 0; i < work->count; i++) {
        const struct code_line *before = i ? &work->lines[i - 1] : NULL;
        if (!before || before->address + before->size != work->lines[i].address) {
            fprintf(writing->out, "# at 0x%llx", (unsigned long long)work->lines[i].address);
            end_line(writing);
        }
        if (writing->has_label[i]) {
            write_label(writing, i);
            putc(':', writing->out);
            end_line(writing);
        }
        writing->first_line[i] = writing->line;
        write_line(writing, i);
    }
    write_ends(writing);
    fclose(writing->out);
    return text;
}

static bool same_key(const struct isa_reader *reader, const uint8_t *left, size_t left_size,
                     const uint8_t *right, size_t right_size)
{
    struct step a = {0}, b = {0};
    return left_size == right_size && reader->step(left, left_size, 0, &a) &&
           reader->step(right, right_size, 0, &b) && a.key.size == b.key.size &&
           !memcmp(a.key.bytes, b.key.bytes, KEY_BYTES);
}

/* Lines that did not become what they were get another spelling; whether there were any. */
static bool respell(struct writing *writing, const struct text_code *code)
{
    const struct code_text *work = writing->work;
    const struct isa_reader *reader = isa_reader(work->isa);
    size_t next = 0;
    bool found = false;
    for (size_t i = 0; i < work->count; i++) {
        const struct text_instruction *rows = code->instructions.data;
        const struct code_line *line = &work->lines[i];
        size_t first = next;
        while (next < code->instructions.count && rows[next].line <= writing->first_line[i])
            next++;
        bool is_same = next - first == 1 && rows[first].line == writing->first_line[i] &&
                       same_key(reader, line->bytes, line->size,
                                (const uint8_t *)code->bytes.data + rows[first].offset, rows[first].size);
        if (is_same || writing->spellings[i] == RAW)
            continue;
        found = true;
        writing->spellings[i] = writing->is_x86 && !is_transfer(line) ? writing->spellings[i] + 1 : RAW;
    }
    return found;
}

static bool refuse_lines(struct writing *writing, const struct text_code *code)
{
    bool found = false;
    for (size_t i = 0; i < code->refusals.count; i++) {
        uint32_t line = ARRAY_AT(struct text_refusal, &code->refusals, i)->line;
        for (size_t k = 0; k < writing->work->count; k++)
            if (writing->first_line[k] == line && writing->spellings[k] != RAW) {
                unsigned old = writing->spellings[k];
                writing->spellings[k] = old && old < RAW ? (uint8_t)(old + 1) : RAW;
                found = true;
            }
    }
    return found;
}

/* Assembles and compares until the code is the same. */
static bool settle(struct writing *writing, struct error *error)
{
    struct text_code code;
    bool is_settled = false;
    text_code_begin(&code, writing->work->isa);
    for (;;) {
        free(writing->work->text);
        writing->work->text = write_all(writing);
        if (!writing->work->text)
            break;
        if (text_code_read(&code, writing->work->text, strlen(writing->work->text), error)) {
            is_settled = !respell(writing, &code);
            if (is_settled)
                break;
        } else if (error->set || !refuse_lines(writing, &code)) {
            text_code_refuse(&code, "the text of this code", error);
            break;
        }
    }
    text_code_end(&code);
    return is_settled;
}

bool code_text_write(struct code_text *work, struct error *error)
{
    struct writing writing = {.work = work,
                              .is_x86 = work->isa == isa_X86_64 || work->isa == isa_I386,
                              .spellings = memory_get(work->count + 1),
                              .first_line = memory_get((work->count + 1) * sizeof *writing.first_line),
                              .has_label = memory_get((work->count + 1) * sizeof *writing.has_label),
                              .offsets = memory_get((work->count + 2) * sizeof *writing.offsets)};
    work->text = NULL;
    work->raw_count = 0;
    find_labels(&writing);
    bool done = work->count ? settle(&writing, error) : error_set(error, NULL, "there is no code here");
    for (size_t i = 0; i < work->count; i++)
        work->raw_count += writing.spellings[i] == RAW;
    free(writing.spellings);
    free(writing.first_line);
    free(writing.has_label);
    free(writing.offsets);
    if (!done) {
        free(work->text);
        work->text = NULL;
    }
    return done;
}
