/* What is tried: the list is short, because each trial is a build and several runs. */
#include "base/path.h"
#include "change/optimise/compile/choices.h"
#include "change/optimise/program/program_parts.h"

#include <stdlib.h>
#include <string.h>

#if defined __aarch64__
#define NATIVE "-mcpu=native"
#else
#define NATIVE "-march=native"
#endif

enum needs { needs_NOTHING, needs_TOLERANCE };
static const struct {
    enum program_kind kind;
    const char *words;
    unsigned risks;
    const char *also;
    char group;
    bool is_second;
    enum needs needs;
} usual[] = {
    {program_FLAGS, "-O3", 0, NULL, 'O', false, needs_NOTHING},
    /* Vectors need both: neither may help alone. */
    {program_FLAGS, "-O3 " NATIVE, risk_TARGET, NULL, 'O', false, needs_NOTHING},
    {program_FLAGS, "-O3 " NATIVE " -ffp-contract=off", risk_TARGET, NULL, 'O', true, needs_NOTHING},
    {program_PROFILE, "-fprofile-use", 0, "the profile is of this input: others may gain less", 0, false,
     needs_NOTHING},
    {program_LINK, "-flto", 0, NULL, 0, false, needs_NOTHING},
    {program_FLAGS, "-DNDEBUG", 0, "assertions are not tested any more", 0, false, needs_NOTHING},
    {program_FLAGS, NATIVE, risk_TARGET, NULL, 'm', false, needs_NOTHING},
    {program_FLAGS, NATIVE " -ffp-contract=off", risk_TARGET, NULL, 'm', true, needs_NOTHING},
    {program_FLAGS, "-funroll-loops", 0, NULL, 0, false, needs_NOTHING},
    {program_FLAGS, "-fno-math-errno -fno-trapping-math", risk_SPECIALS, NULL, 'f', false, needs_NOTHING},
    {program_FLAGS, "-ffast-math", risk_ROUNDING | risk_SPECIALS, NULL, 'f', false, needs_TOLERANCE},
    {program_FLAGS, "-O2", 0, NULL, 'O', false, needs_NOTHING},
};

/* Options that cost time for nothing in a program that is used; with a sign at the end: all that start like it. */
static const char *const harmful[] = {
    "-ffloat-store",          "-fno-inline",           "-fno-inline-functions", "-ftrapv", "-pg", "-p",
    "-finstrument-functions", "-fstack-protector-all", "-fsanitize=",           "-O0"};

static bool is_harmful(const char *word)
{
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
        size_t length = strlen(harmful[i]);
        if (!strncmp(word, harmful[i], length) && (!word[length] || harmful[i][length - 1] == '='))
            return true;
    }
    return false;
}

static bool is_listed(const struct array *changes, const char *words)
{
    for (size_t i = 0; i < changes->count; i++)
        if (!strcmp(ARRAY_AT(struct program_option, changes, i)->words, words))
            return true;
    return false;
}

static void add_harmful(const struct array *units, struct array *changes)
{
    for (size_t i = 0; i < units->count; i++) {
        const struct array *tuning = &ARRAY_AT(struct program_unit, units, i)->compilation.tuning;
        for (size_t k = 0; k < tuning->count && changes->count < PROGRAM_MOST_CHANGES / 2; k++) {
            const char *word = *ARRAY_AT(const char *, tuning, k);
            if (is_harmful(word) && strcmp(word, "-O0") && !is_listed(changes, word))
                *(struct program_option *)array_push(changes) =
                    (struct program_option){.kind = program_LESS,
                                            .words = memory_format("%s", word),
                                            .name = memory_format("without %s", word)};
        }
    }
}

/* The level that counts is the last one. */
static const char *level_of(const struct compilation *compilation)
{
    const char *level = "-O0";
    for (size_t i = 0; i < compilation->tuning.count; i++) {
        const char *word = *ARRAY_AT(const char *, &compilation->tuning, i);
        if (!strncmp(word, "-O", 2))
            level = word;
    }
    return level;
}

/* What all units have already is nothing to try. */
static bool is_new(const struct program_request *request, const char *words)
{
    bool is_level = !strncmp(words, "-O", 2);
    if (!request->units)
        return true;
    for (size_t i = 0; i < request->units->count; i++) {
        const struct compilation *compilation =
            &ARRAY_AT(struct program_unit, request->units, i)->compilation;
        bool is_there = is_level && !strcmp(level_of(compilation), words);
        const struct array *lists[] = {&compilation->tuning, &compilation->meaning};
        for (unsigned k = 0; k < 2 && !is_level; k++)
            for (size_t w = 0; w < lists[k]->count; w++)
                is_there |= !strcmp(*ARRAY_AT(const char *, lists[k], w), words);
        if (!is_there)
            return true;
    }
    return false;
}

void program_changes_list(const struct program_request *request, struct array *changes)
{
    *changes = ARRAY_OF(struct program_option);
    if (request->units)
        add_harmful(request->units, changes);
    bool lacks_one = true; /* the row before was left out */
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        bool is_wanted = !(usual[i].risks & request->forbidden) && is_new(request, usual[i].words) &&
                         (usual[i].needs != needs_TOLERANCE || request->has_tolerance) &&
                         !(usual[i].is_second && lacks_one);
        lacks_one = !is_wanted;
        if (is_wanted)
            *(struct program_option *)array_push(changes) =
                (struct program_option){.kind = usual[i].kind,
                                        .words = memory_format("%s", usual[i].words),
                                        .name = memory_format("%s", usual[i].words),
                                        .risks = usual[i].risks,
                                        .also = usual[i].also,
                                        .group = usual[i].group,
                                        .is_second = usual[i].is_second};
    }
}

void program_changes_free(struct array *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        free(ARRAY_AT(struct program_option, changes, i)->words);
        free(ARRAY_AT(struct program_option, changes, i)->name);
    }
    array_free(changes);
}

/* --- words --- */
static void append(char **text, const char *separator, const char *more)
{
    char *longer = memory_format("%s%s%s", *text ? *text : "", *text ? separator : "", more);
    free(*text);
    *text = longer;
}

/* "for a.c, b.c", or "but for c.c" where fewer are without. */
static void append_units(char **text, const uint32_t *sets, unsigned change, const struct array *units,
                         size_t having)
{
    bool is_less = having > units->count / 2;
    append(text, " ", is_less ? "but for" : "for");
    for (size_t i = 0, told = 0; i < units->count; i++)
        if (((sets[i] >> change & 1) != 0) != is_less)
            append(text, told++ ? ", " : " ", path_name(ARRAY_AT(struct program_unit, units, i)->name));
}

char *program_changes_name(const struct array *changes, const uint32_t *sets, const struct array *units)
{
    char *text = NULL;
    size_t count = units ? units->count : 1;
    for (unsigned parted = 0; parted < 2; parted++)
        for (unsigned change = 0; change < changes->count; change++) {
            size_t having = 0;
            for (size_t i = 0; i < count; i++)
                having += sets[i] >> change & 1;
            if (!having || (having < count) != (parted != 0))
                continue;
            append(&text, parted ? "; " : " ", ARRAY_AT(struct program_option, changes, change)->name);
            if (parted)
                append_units(&text, sets, change, units, having);
        }
    return text ? text : memory_format("as it is");
}

char *program_changes_words(const struct array *changes, uint32_t set, enum program_kind kind)
{
    char *text = NULL;
    for (unsigned change = 0; change < changes->count; change++)
        if (set >> change & 1 && ARRAY_AT(struct program_option, changes, change)->kind == kind)
            append(&text, " ", ARRAY_AT(struct program_option, changes, change)->words);
    return text ? text : memory_format("%s", "");
}

bool program_changes_has(const struct array *changes, uint32_t set, enum program_kind kind)
{
    for (unsigned change = 0; change < changes->count; change++)
        if (set >> change & 1 && ARRAY_AT(struct program_option, changes, change)->kind == kind)
            return true;
    return false;
}
