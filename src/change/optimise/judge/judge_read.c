/* From an object file to the cycles of one source loop.

   The source loop is its lines; what one iteration of it does is known by a compilation without vectors and
   unrolling. In a variant, an innermost loop with code of these lines is a part of it. The parts come in
   families (code/quality/families.h): a main loop, with peel and tail loops around it, or other versions of
   it.

   A family whose main loop does the whole work of the source loop some times over is the answer. Where no
   single family does, the compiler split the loop, and the families add up; each is counted by the iterations
   that its own loops show, or by its share of the work. */
#include "code/diff/half.h"
#include "change/optimise/judge/judge_parts.h"
#include "code/quality/families.h"
#include "code/quality/quality.h"
#include "code/read/read.h"
#include "code/structure/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A family that has a part of the loop. */
struct piece {
    struct half main;
    double iterations; /* of the source; 0: unknown */
    bool is_whole;     /* it does all the work of an iteration of the source */
    bool is_rough;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_source(const struct model *model, uint32_t file, const char *source)
{
    const char *path = file ? model_text(model, model_file(model, file)->path) : NULL;
    return path && !strcmp(last_part(path), last_part(source));
}

/* The lines of the source that instructions of a loop are from; how many instructions are within first and
   last. */
struct extent {
    uint32_t first, last; /* 0: none */
    uint32_t within;      /* instructions of the lines that were asked for */
};

static struct extent extent_of(const struct model *model, uint32_t loop, const char *source, uint32_t first,
                               uint32_t last)
{
    struct extent extent = {0};
    struct diff_rows rows = diff_blocks_of_loop(model, loop);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct block *block = model_block(model, model_loop_block(model, i)->block);
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            uint32_t row = model_instruction(model, block->first_instruction + k)->source_line;
            const struct source_line *place = row ? model_source_line(model, row) : NULL;
            if (!place || !place->line || !is_source(model, place->file, source))
                continue;
            extent.within += place->line >= first && place->line <= last;
            if (!extent.first || place->line < extent.first)
                extent.first = place->line;
            if (place->line > extent.last)
                extent.last = place->line;
        }
    }
    return extent;
}

/* Reads an object file, and what the parts of the loop take. */
bool judge_read_model(const char *object, struct model *model, struct error *error)
{
    const struct read_options reading = {.threads = 1};
    const struct structure_options building = {.threads = 1, .path_limit = QUALITY_PATHS};
    return read_file(model, object, &reading, error) && structure_build(model, &building, error);
}

static void time_loops(struct model *model, const struct array *loops, const struct machine *machine)
{
    struct quality_options options = {.threads = 1, .path_limit = QUALITY_PATHS};
    options.machines.of[machine->isa] = machine;
    quality_build(model, &options, loops);
}

/* --- the source loop --- */
/* Which of two loops is the source loop rather: the one with more code of its lines. */
static bool is_better(const struct extent *one, const struct extent *other)
{
    if (one->within != other->within)
        return one->within > other->within;
    return one->last - one->first < other->last - other->first;
}

bool judge_read_loop(const char *object, const struct extract *extract, const struct machine *machine,
                     struct judged_loop *loop, struct error *error)
{
    struct model model;
    struct extent best = {0};
    uint32_t found = 0;
    const char *source = extract->source_file;
    uint32_t first = extract->source_line, last = extract->source_last < first ? first : extract->source_last;
    model_init(&model);
    *loop = (struct judged_loop){.source = source, .first = first, .last = last, .cycles = NAN};
    bool is_fine = judge_read_model(object, &model, error);
    for (uint32_t id = 1; is_fine && id < model.loops.count; id++) {
        if (!model_loop(&model, id)->is_innermost)
            continue;
        struct extent extent = extent_of(&model, id, source, first, last);
        if (extent.within && is_better(&extent, &best)) {
            best = extent;
            found = id;
        }
    }
    if (found) {
        struct array loops = ARRAY_OF(uint32_t);
        *(uint32_t *)array_push(&loops) = found;
        time_loops(&model, &loops, machine);
        struct half half = half_read(&model, found);
        loop->footprint = half.footprint;
        loop->strides = judge_strides_of(&model, found);
        loop->cycles = half.cycles;
        array_free(&loops);
    } else if (is_fine)
        is_fine = error_set(error, source,
                            "the compiler leaves no loop at line %u, even without optimisation of loops",
                            extract->source_line);
    model_free(&model);
    return is_fine;
}

/* --- the loop in a variant --- */
static double amount_ratio(double whole, double part)
{
    double ratio = part > 0 ? whole / part : 0;
    return ratio >= 1 ? round(ratio) : ratio > 0.4 ? 1 : 0;
}

/* By one kind of work alone: what is stored says most, then arithmetic, then loads, which compilers save. */
static double rough_iterations(const struct footprint *whole, const struct footprint *part)
{
    if (part->stored && whole->stored)
        return amount_ratio(whole->stored, part->stored);
    if (part->flops && whole->flops)
        return amount_ratio(whole->flops, part->flops);
    return amount_ratio(whole->loaded, part->loaded);
}

/* Whether so many iterations of the source loop are all there: stores, and most of the arithmetic and loads,
   of which compilers save some. */
static bool does_all(const struct footprint *main, const struct footprint *source, double iterations)
{
    return main->stored >= iterations * source->stored && main->flops >= 0.7 * iterations * source->flops &&
           main->loaded >= 0.5 * iterations * source->loaded;
}

static struct piece piece_of(const struct model *model, const struct loop_family *family,
                             const struct judged_loop *loop)
{
    struct piece piece = {.main = half_read(model, family->main)};
    const struct footprint *main = &piece.main.footprint;
    struct judge_strides strides = judge_strides_of(model, family->main);
    uint32_t times = footprint_ratio(main, &loop->footprint),
             steps = judge_strides_ratio(&strides, &loop->strides);
    piece.is_whole = steps ? does_all(main, &loop->footprint, steps) : times > 0;
    piece.iterations = steps ? steps : times ? times : piece.main.iterations;
    if (!(piece.iterations > 0)) {
        piece.iterations = rough_iterations(main, &loop->footprint);
        piece.is_rough = true;
    }
    return piece;
}

/* What remains around a main loop that does several iterations at once: half of them on average, by the loops
   of its family that do one or a few. */
static double remainder_cycles(const struct model *model, uint32_t family, const struct piece *piece)
{
    double least = 0;
    for (uint32_t i = 0; i < model->loop_roles.count; i++) {
        const struct loop_role_row *role = model_loop_role_row(model, i);
        if (role->family != family || (role->role != loop_role_TAIL && role->role != loop_role_PEEL))
            continue;
        struct half half = half_read(model, role->loop);
        double once = half.cycles / (half.iterations > 0 ? half.iterations : 1);
        if (once > 0 && (!(least > 0) || once < least))
            least = once;
    }
    return least > 0 ? least * (piece->iterations - 1) / 2 : piece->iterations > 1 ? NAN : 0;
}

/* Encodings stand for themselves: the same in another object file have the same text. */
static uint64_t hash_loop(const struct model *model, uint32_t loop, uint64_t hash)
{
    struct diff_rows rows = diff_blocks_of_loop(model, loop);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct block *block = model_block(model, model_loop_block(model, i)->block);
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            const struct encoding *encoding =
                model_encoding(model, model_instruction(model, block->first_instruction + k)->encoding);
            const char *text = model_text(model, encoding->text);
            if (encoding->flow == flow_NEXT && text)
                hash = hash_mix(hash, strings_hash(text, strlen(text)));
        }
    }
    return hash;
}

static void sum_pieces(const struct model *model, const struct array *families,
                       const struct judged_loop *loop, struct judgement *judgement)
{
    struct piece best = {0};
    double cycles = 0, entry = 0;
    for (size_t i = 0; i < families->count; i++) {
        uint32_t id = *ARRAY_AT(uint32_t, families, i);
        struct piece piece = piece_of(model, model_loop_family(model, id), loop);
        if (!(piece.iterations > 0))
            continue;
        judgement->loop = hash_loop(model, piece.main.loop, judgement->loop + 1);
        double once = piece.main.cycles / piece.iterations, remains = remainder_cycles(model, id, &piece);
        if (piece.is_whole && (!best.is_whole || piece.iterations > best.iterations)) {
            best = piece;
            judgement->cycles = once;
            judgement->entry_cycles = remains;
        }
        if (piece.iterations > judgement->iterations)
            judgement->iterations = piece.iterations;
        judgement->is_rough |= piece.is_rough;
        cycles += once;
        entry += remains;
    }
    if (best.is_whole) {
        judgement->iterations = best.iterations;
        judgement->is_rough = false;
    } else if (judgement->iterations > 0) {
        judgement->cycles = cycles;
        judgement->entry_cycles = entry;
    }
}

void judge_find_loops(const struct model *model, const struct judged_loop *loop, struct array *loops)
{
    for (uint32_t id = 1; id < model->loops.count; id++)
        if (model_loop(model, id)->is_innermost &&
            extent_of(model, id, loop->source, loop->first, loop->last).within)
            *(uint32_t *)array_push(loops) = id;
}

/* Innermost loops with code of the source loop, and the families that they are of. */
static void find_families(struct model *model, const struct judged_loop *loop, const struct machine *machine,
                          struct array *families)
{
    struct array loops = ARRAY_OF(uint32_t);
    judge_find_loops(model, loop, &loops);
    if (loops.count)
        time_loops(model, &loops, machine);
    for (size_t i = 0; i < loops.count; i++) {
        const struct loop_role_row *role = families_role(model, *ARRAY_AT(uint32_t, &loops, i));
        if (role)
            *(uint32_t *)array_push(families) = role->family;
    }
    array_sort_numbers(families);
    array_free(&loops);
}

void judge_read(const char *object, const struct judged_loop *loop, const struct machine *machine,
                struct judgement *judgement)
{
    struct model model;
    struct error error = {0};
    struct array families = ARRAY_OF(uint32_t);
    model_init(&model);
    judgement->cycles = judgement->entry_cycles = NAN;
    if (!judge_read_model(object, &model, &error))
        judgement->problem = memory_format("%s", error.text);
    else {
        find_families(&model, loop, machine, &families);
        sum_pieces(&model, &families, loop, judgement);
        if (!families.count)
            judgement->problem = memory_format("no loop is left: it is unrolled completely, or a call of a "
                                               "library function is in its place");
        else if (isnan(judgement->cycles))
            judgement->problem = memory_format(
                "its cycles are not known: %s",
                judgement->iterations > 0
                    ? "the machine file lacks one of its instructions"
                    : "its code does not show how many iterations of the source it does at once");
        else if (judgement->is_rough)
            judgement->problem =
                memory_format("its code does not show how many iterations of the source it does "
                              "at once, so its cycles cannot be compared");
    }
    array_free(&families);
    model_free(&model);
}
