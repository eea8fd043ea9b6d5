#include "show/report/diff/diff.h"

#include "show/report/common/loop_place.h"
#include "show/report/common/share.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct sentence {
    char *text;
    size_t size;
    FILE *out;
    unsigned count;
};

static void say(struct sentence *sentence, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct sentence *sentence, const char *format, ...)
{
    va_list arguments;
    fputs(sentence->count++ ? "; " : "", sentence->out);
    va_start(arguments, format);
    vfprintf(sentence->out, format, arguments);
    va_end(arguments);
}

static void say_vectors(struct sentence *sentence, const struct change_figure *figure)
{
    double old = figure->figures[diff_OLD], new = figure->figures[diff_NEW];
    if (!old)
        say(sentence, "now vectorised (%g bits)", new);
    else if (!new)
        say(sentence, "no longer vectorised (was %g bits)", old);
    else
        say(sentence, "vectors of %g bits instead of %g", new, old);
}

static void say_count(struct sentence *sentence, enum change_reason reason,
                      const struct change_figure *figure)
{
    static const char *const words[reason_COUNT] = {[reason_SPILLS] = "stack accesses",
                                                    [reason_CALLS] = "calls",
                                                    [reason_DIVISIONS] = "divisions",
                                                    [reason_CONVERSIONS] = "conversions",
                                                    [reason_MULTIPLY_ADDS] = "multiply-adds",
                                                    [reason_GATHERS] = "gathers and scatters",
                                                    [reason_LOADS] = "loads",
                                                    [reason_STORES] = "stores",
                                                    [reason_INSTRUCTIONS] = "instructions"};
    say(sentence, "%s %.3g -> %.3g", words[reason], figure->figures[diff_OLD], figure->figures[diff_NEW]);
}

static void say_rules(struct sentence *sentence, const char *what, const struct array *rules,
                      const struct model *model)
{
    for (size_t i = 0; i < rules->count; i++)
        say(sentence, "%s advice: %s", what,
            model_text(model, model_rule_row(model, *ARRAY_AT(uint32_t, rules, i))->title));
}

char *diff_reasons(const struct loop_change *change, const struct comparison *comparison)
{
    struct sentence sentence = {.count = 0};
    sentence.out = open_memstream(&sentence.text, &sentence.size);
    if (!sentence.out)
        return memory_copy_text("", 0);
    for (int i = 0; i < reason_COUNT; i++) {
        const struct change_figure *figure = &change->reasons[i];
        double old = figure->figures[diff_OLD], new = figure->figures[diff_NEW];
        if (!figure->is_told)
            continue;
        if (i == reason_VECTOR_BITS)
            say_vectors(&sentence, figure);
        else if (i == reason_UNROLL)
            say(&sentence, "unrolled %g x instead of %g x", new, old);
        else if (i == reason_PATHS)
            say(&sentence, "%g path%s through an iteration instead of %g", new, new == 1 ? "" : "s", old);
        else if (i == reason_LIMIT)
            say(&sentence, "limited by %s instead of %s", core_part_word((enum core_part) new),
                core_part_word((enum core_part)old));
        else
            say_count(&sentence, (enum change_reason)i, figure);
    }
    say_rules(&sentence, "new", &change->appeared, comparison->sides[diff_NEW].model);
    say_rules(&sentence, "no more", &change->gone, comparison->sides[diff_OLD].model);
    fclose(sentence.out);
    return sentence.text;
}

/* Builds are in different folders: only the file's own name counts. */
static bool has_moved(const struct comparison *comparison, const struct loop_change *change)
{
    struct loop_place places[diff_BUILDS];
    uint64_t files[diff_BUILDS];
    for (int side = 0; side < diff_BUILDS; side++) {
        const struct model *model = comparison->sides[side].model;
        if (!change->match.rows[side])
            return false;
        places[side] = loop_place_find(model, change->match.rows[side]);
        if (!places[side].file)
            return false;
        files[side] = diff_file_hash(model, places[side].file);
    }
    return files[0] != files[1] || places[0].first_line != places[1].first_line ||
           places[0].last_line != places[1].last_line;
}

char *diff_place(const struct diff_view *view, const struct loop_change *change)
{
    int side = change->match.rows[diff_NEW] ? diff_NEW : diff_OLD;
    const struct comparison *comparison = view->comparison;
    char *place = loop_place_short(comparison->sides[side].model, change->match.rows[side], view->directory);
    if (!has_moved(comparison, change))
        return place;
    autofree char *old =
        loop_place_short(comparison->sides[diff_OLD].model, change->match.rows[diff_OLD], view->directory);
    char *both = memory_format("%s (was %s)", place, old);
    free(place);
    return both;
}

char *diff_total_words(const struct diff_view *view, const struct change_total *total)
{
    autofree char *time =
        total->share > 0
            ? memory_format("Time of the program, %s: %+.1f %%, by loops that take %s %% of it. ",
                            view->is_sampled ? "by samples" : "estimated", 100 * total->effect,
                            share_words(total->share).text)
            : memory_format("%s", "");
    return memory_format(
        "%sCode: %llu -> %llu instructions, %llu -> %llu bytes.", time,
        (unsigned long long)total->instructions[diff_OLD], (unsigned long long)total->instructions[diff_NEW],
        (unsigned long long)total->bytes[diff_OLD], (unsigned long long)total->bytes[diff_NEW]);
}

const char *diff_unit_words(enum change_unit unit)
{
    static const char *const words[] = {"", "per source iteration", "for the work of one old iteration",
                                        "per iteration, as if both did the same work"};
    return words[unit];
}

enum diff_verdict diff_verdict(const struct diff_view *view, const struct loop_change *change)
{
    if (!change->match.rows[diff_OLD])
        return diff_ADDED;
    if (!change->match.rows[diff_NEW])
        return diff_REMOVED;
    if (change->ratio != change->ratio)
        return diff_UNKNOWN;
    if (change->depends)
        return diff_DEPENDS;
    if (change->ratio > 1 + view->threshold)
        return diff_SLOWER;
    return change->ratio < 1 / (1 + view->threshold) ? diff_FASTER : diff_SAME;
}

const char *const diff_headings[diff_VERDICTS] = {
    [diff_SLOWER] = "Slower",
    [diff_FASTER] = "Faster",
    [diff_DEPENDS] = "Depends on which path is taken",
    [diff_ADDED] = "Only in the new build",
    [diff_REMOVED] = "Only in the old build",
    [diff_UNKNOWN] = "Rewritten, or without cycles: times cannot be compared",
    [diff_SAME] = "Changed without effect",
};

size_t diff_count(const struct diff_view *view, enum diff_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < view->changes->count; i++)
        count += diff_verdict(view, ARRAY_AT(struct loop_change, view->changes, i)) == verdict;
    return count;
}

uint8_t *diff_choose(const struct diff_view *view)
{
    uint8_t *chosen = memory_get(view->changes->count + 1);
    size_t counts[diff_VERDICTS] = {0};
    for (size_t i = 0; i < view->changes->count; i++) {
        const struct loop_change *change = ARRAY_AT(struct loop_change, view->changes, i);
        enum diff_verdict verdict = diff_verdict(view, change);
        bool is_pair = change->match.rows[diff_OLD] && change->match.rows[diff_NEW];
        bool is_listed = verdict != diff_SAME && verdict != diff_UNKNOWN;
        chosen[i] = view->is_whole ? is_pair : is_listed && counts[verdict]++ < view->most;
    }
    return chosen;
}

struct diff_totals diff_totals(const struct comparison *comparison)
{
    struct diff_totals totals = {0};
    for (size_t i = 0; i < comparison->functions.count; i++) {
        const struct diff_match *pair = ARRAY_AT(struct diff_match, &comparison->functions, i);
        int side = pair->rows[diff_NEW] ? diff_NEW : diff_OLD;
        if (!comparison->sides[side].functions[pair->rows[side]].count)
            continue;
        totals.functions++;
        if (!pair->rows[diff_OLD] || !pair->rows[diff_NEW])
            totals.only[side]++;
        else if (pair->is_same)
            totals.same++;
        else
            totals.changed++;
    }
    return totals;
}
