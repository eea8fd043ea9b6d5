/* See from_source.h.  Each function is a subtask with its whole-number parameters.  What an operation takes is a free parameter, one for
   each kind; and where the source does not say how often, whether, or with what, there is one more, which names its line.  Functions that
   are called in a circle, and those of other files, are free times.  Names of the source that are words of the language get a `_`. */
#include "show/report/modelling/from_source.h"
#include "code/source/flow.h"
#include "show/report/modelling/from.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    const struct array *steps;
    struct array functions;  /* of size_t: steps that begin one */
    struct array parameters; /* of char *: declarations, each once */
    FILE *out;               /* of the subtasks */
    unsigned indent;
    uint32_t unsaid;
};

static const struct source_step *step_at(const struct writing *writing, size_t index)
{
    return ARRAY_AT(struct source_step, writing->steps, index);
}

static bool is_reserved(const char *name, size_t length)
{
    static const char *const words[] = {
        "abs",        "allreduce", "alltoall",     "any",          "application", "as",        "barrier",
        "before",     "broadcast", "ceil",         "compute",      "else",        "exp",       "floor",
        "flow",       "for",       "free",         "from",         "function",    "halo",      "hardware",
        "if",         "in",        "include",      "ireceive",     "isend",       "let",       "log",
        "log2",       "loop",      "max",          "min",          "network",     "number",    "of",
        "on",         "parameter", "power",        "probability",  "rank",        "ranks",     "read",
        "receive",    "reduce",    "repeat",       "round",        "run",         "send",      "sender",
        "spend",      "sqrt",      "subtask",      "tag",          "template",    "tiles",     "to",
        "vector",     "wait",      "wavefront",    "while",        "with",        "write",     "grid_columns",
        "grid_rows",  "send_time", "receive_time", "message_time", "to_seconds",  "flop_time", "access_time",
        "branch_time"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && !strncmp(words[i], name, length))
            return true;
    return false;
}

/* A text of the source in the language: other characters than ASCII cannot be in its names; to be freed. */
static char *translated(const char *text)
{
    char *made = NULL;
    size_t size;
    FILE *out = open_memstream(&made, &size);
    for (const char *at = text; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] & 0x80)
            length++;
        bool is_name = length && !isdigit((unsigned char)*at), is_ours = at[length] == '(';
        for (size_t i = 0; i < length; i++)
            fputc(at[i] & 0x80 ? '_' : at[i], out);
        if (is_name && (*at == '_' || (!is_ours && is_reserved(at, length))))
            fputc('_', out);
        at += length;
        if (!length && (isprint((unsigned char)*at) || *at == ' '))
            fputc(*at, out);
        at += !length;
    }
    fclose(out);
    return made;
}

/* A name alone, also of a function: `max` is max_. */
static char *name_of(const char *name)
{
    autofree char *made = translated(name);
    size_t length = strlen(made);
    return memory_format("%s%s", made, is_reserved(made, length) ? "_" : "");
}

static void begin_line(const struct writing *writing)
{
    fprintf(writing->out, "%*s", (int)(4 * writing->indent), "");
}

/* A parameter that the source does not say. */
__attribute__((format(printf, 2, 3))) static void declare(struct writing *writing, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    for (size_t i = 0; text && i < writing->parameters.count; i++)
        if (!strcmp(*ARRAY_AT(char *, &writing->parameters, i), text)) {
            free(text);
            return;
        }
    if (!text)
        return;
    *(char **)array_add(&writing->parameters) = text;
    writing->unsaid++;
}

/* The function of this name, or SIZE_MAX. */
static size_t function_named(const struct writing *writing, const char *name)
{
    for (size_t i = 0; *name && i < writing->functions.count; i++)
        if (!strcmp(step_at(writing, *ARRAY_AT(size_t, &writing->functions, i))->name, name))
            return i;
    return SIZE_MAX;
}

/* Marks all functions that one calls, through others, too. */
static void mark_called(const struct writing *writing, size_t function, uint8_t *is_called)
{
    struct array open = ARRAY_OF(size_t);
    *(size_t *)array_push(&open) = function;
    while (open.count) {
        size_t at = *ARRAY_AT(size_t, &open, --open.count);
        for (size_t i = *ARRAY_AT(size_t, &writing->functions, at) + 1;
             i < writing->steps->count && step_at(writing, i)->kind != source_step_FUNCTION; i++) {
            size_t callee = step_at(writing, i)->kind == source_step_CALL
                                ? function_named(writing, step_at(writing, i)->name)
                                : SIZE_MAX;
            if (callee == SIZE_MAX || is_called[callee])
                continue;
            is_called[callee] = 1;
            *(size_t *)array_push(&open) = callee;
        }
    }
    array_free(&open);
}

static size_t count_parts(const char *list)
{
    size_t count = *list != 0;
    for (const char *at = list; (at = strstr(at, ", ")); at += 2)
        count++;
    return count;
}

/* Arguments as the function wants them; to be freed. */
static char *arguments_of(struct writing *writing, const struct source_step *call,
                          const struct source_step *function)
{
    size_t wanted = count_parts(function->first), given = count_parts(call->first), depth = 0;
    char *made = NULL;
    size_t size;
    FILE *out = open_memstream(&made, &size);
    const char *at = call->first;
    autofree char *name = name_of(call->name);
    for (size_t i = 0; i < wanted; i++) {
        size_t length = 0;
        for (depth = 0; at[length] && (depth || strncmp(at + length, ", ", 2)); length++)
            depth += at[length] == '(' ? 1 : at[length] == ')' ? (size_t)-1 : 0;
        autofree char *one = memory_copy_text(at, length), *text = translated(one);
        fputs(i ? ", " : "", out);
        if (i >= given || !length || !strcmp(one, "?")) {
            fprintf(out, "%s_%u_%zu", name, call->line, i + 1);
            declare(writing, "parameter %s_%u_%zu = 1 \"what line %u hands to %s\"", name, call->line, i + 1,
                    call->line, name);
        } else {
            fputs(text, out);
        }
        at += length + (at[length] ? 2 : 0);
    }
    fclose(out);
    return made;
}

static bool is_counted_already(const char *name)
{
    static const char *const known[] = {"sqrt",  "fabs",  "fmin",  "fmax",  "fma",
                                        "sqrtf", "fabsf", "fminf", "fmaxf", "fmaf"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i]))
            return true;
    return false;
}

static void write_call(struct writing *writing, const struct source_step *step, size_t caller)
{
    size_t callee = function_named(writing, step->name);
    uint8_t *is_called = memory_get(writing->functions.count + 1);
    if (callee != SIZE_MAX)
        mark_called(writing, callee, is_called);
    bool is_circle = callee != SIZE_MAX && (callee == caller || is_called[caller]);
    free(is_called);
    autofree char *name = name_of(*step->name ? step->name : "pointer");
    if (is_counted_already(step->name))
        return;
    begin_line(writing);
    if (!strncmp(step->name, "MPI_", 4)) {
        fprintf(writing->out, "// line %u, %s:  %s\n", step->line, name, report_model_statement(step->name));
    } else if (callee == SIZE_MAX || is_circle) {
        fprintf(writing->out, "compute call_%s as \"%s, line %u\";\n", name, name, step->line);
        declare(writing, "free parameter call_%s = 20 ns \"a call of %s, %s: a guess\"", name,
                *step->name ? name : "a function by its address",
                is_circle ? "which calls itself" : "which is not in this file");
    } else {
        const struct source_step *function = step_at(writing, *ARRAY_AT(size_t, &writing->functions, callee));
        autofree char *arguments = arguments_of(writing, step, function);
        fprintf(writing->out, "%s(%s);\n", name, arguments);
    }
}

static void write_compute(const struct writing *writing, const struct source_step *step)
{
    const struct {
        uint32_t count;
        const char *name;
    } kinds[] = {
        {step->floating, "flop_time"}, {step->memory, "access_time"}, {step->branches, "branch_time"}};
    const char *between = "";
    begin_line(writing);
    fputs("compute ", writing->out);
    for (unsigned i = 0; i < 3; i++)
        if (kinds[i].count) {
            fprintf(writing->out, "%s%u * %s", between, kinds[i].count, kinds[i].name);
            between = " + ";
        }
    if (step->line == step->last_line)
        fprintf(writing->out, " as \"line %u\";\n", step->line);
    else
        fprintf(writing->out, " as \"lines %u-%u\";\n", step->line, step->last_line);
}

static void write_step(struct writing *writing, const struct source_step *step, size_t caller)
{
    autofree char *first = translated(step->first), *last = translated(step->last),
                  *name = name_of(step->name);
    writing->indent -= step->kind == source_step_END || step->kind == source_step_ELSE;
    if (step->kind == source_step_COMPUTE || step->kind == source_step_CALL) {
        if (step->kind == source_step_CALL)
            write_call(writing, step, caller);
        else
            write_compute(writing, step);
        return;
    }
    begin_line(writing);
    switch (step->kind) {
    case source_step_FUNCTION:
        fprintf(writing->out, "\nsubtask %s(%s) {\n", name, first);
        break;
    case source_step_FOR:
        fprintf(writing->out, "for (%s = %s .. %s) {\n", name, first, last);
        break;
    case source_step_REPEAT:
        if (*first) {
            fprintf(writing->out, "repeat (%s) {\n", first);
            break;
        }
        fprintf(writing->out, "repeat (times_%u) {\n", step->line);
        declare(writing, "free parameter times_%u = 10 \"iterations of the loop in line %u: a guess\"",
                step->line, step->line);
        break;
    case source_step_IF:
        if (*first) {
            fprintf(writing->out, "if (%s) {\n", first);
            break;
        }
        fprintf(writing->out, "if (probability chance_%u) {\n", step->line);
        declare(writing,
                "free parameter chance_%u = 0.5 \"how often the condition in line %u holds: a guess\"",
                step->line, step->line);
        break;
    case source_step_ELSE:
        fputs("} else {\n", writing->out);
        break;
    case source_step_SWITCH:
        fprintf(writing->out, "compute switch_%u as \"line %u\";\n", step->line, step->line);
        declare(writing, "free parameter switch_%u = 10 ns \"the switch in line %u: a guess\"", step->line,
                step->line);
        break;
    default:
        fputs("}\n", writing->out);
        break;
    }
    writing->indent += step->kind == source_step_FUNCTION || step->kind == source_step_FOR ||
                       step->kind == source_step_REPEAT || step->kind == source_step_IF ||
                       step->kind == source_step_ELSE;
}

/* main, else the first function that no other one calls, else the first. */
static size_t root_of(const struct writing *writing)
{
    size_t root = function_named(writing, "main");
    for (size_t i = 0; root == SIZE_MAX && i < writing->functions.count; i++) {
        bool is_called = false;
        for (size_t k = 0; k < writing->functions.count && !is_called; k++) {
            uint8_t *marks = memory_get(writing->functions.count);
            if (k != i)
                mark_called(writing, k, marks);
            is_called = marks[i];
            free(marks);
        }
        root = is_called ? SIZE_MAX : i;
    }
    return root == SIZE_MAX ? 0 : root;
}

static void write_whole(struct writing *writing, const char *path, const char *body, FILE *out)
{
    const struct source_step *root =
        step_at(writing, *ARRAY_AT(size_t, &writing->functions, root_of(writing)));
    autofree char *name = name_of(root->name), *arguments = translated(root->first),
                  *safe = report_model_tame(path);
    fprintf(
        out,
        "// The flow of %s, made by assay model from. What operations take, and what the source does not say, is guessed:\n"
        "// fit it to measured runs (assay model fit FILE MEASURED.csv), or take the time of a loop from the binary\n"
        "// (loop \"%s\":LINE of \"./PROGRAM\").\n\n"
        "free parameter flop_time = 1 ns \"a floating-point operation\", access_time = 0.5 ns \"an access to an array\",\n"
        "               branch_time = 0.5 ns \"a branch of a loop or a condition\";\n",
        safe, safe);
    if (*arguments)
        fprintf(out, "parameter %s;    // of %s\n", arguments, name);
    for (size_t i = 0; i < writing->parameters.count; i++)
        fprintf(out, "%s;\n", *ARRAY_AT(char *, &writing->parameters, i));
    fputs(body, out);
    fprintf(out, "\napplication from_source {\n    run {\n        %s(%s);\n    }\n}\n", name, arguments);
}

bool report_model_from_source(const char *path, const struct array *steps, FILE *out, uint32_t *unsaid,
                              struct error *error)
{
    struct writing writing = {.steps = steps, .functions = ARRAY_OF(size_t), .parameters = ARRAY_OF(char *)};
    char *body = NULL;
    size_t size, function = 0;
    for (size_t i = 0; i < steps->count; i++)
        if (step_at(&writing, i)->kind == source_step_FUNCTION)
            *(size_t *)array_push(&writing.functions) = i;
    if (!writing.functions.count) {
        array_free(&writing.functions);
        return error_set(error, path, "has no function with a body");
    }
    writing.out = open_memstream(&body, &size);
    for (size_t i = 0; i < steps->count; i++) {
        if (i && step_at(&writing, i)->kind == source_step_FUNCTION)
            function++;
        write_step(&writing, step_at(&writing, i), function);
    }
    fclose(writing.out);
    write_whole(&writing, path, body, out);
    free(body);
    *unsaid = writing.unsaid;
    for (size_t i = 0; i < writing.parameters.count; i++)
        free(*ARRAY_AT(char *, &writing.parameters, i));
    array_free(&writing.parameters);
    array_free(&writing.functions);
    return true;
}
