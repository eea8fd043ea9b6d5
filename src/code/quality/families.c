/* Function by function. Each instruction of an innermost loop has a place: file, line, column and the inlined
   call that it belongs to. Loops that the compiler made from one source loop share most of their places. Two
   loops of the source share none, even next to each other or in one line; copies of an inlined function
   differ in the call. So a loop joins the family that knows at least half of its places, or half of the
   smallest member's if that has fewer.  A loop that locks what it changes is not a copy of one that does not:
   OpenMP adds up the sums of threads by such a loop, at the place of the one that it belongs to.

   The member with the largest footprint is the main loop. A member that runs after a larger one, within the
   same iteration of the loops around it, is a tail; one that runs before a larger one is a peel loop. The
   rest, and members with another mix of operations, are versions. Loops that neither compute nor access
   memory are families of their own. Clang may use the same loop as tail and as version for overlapping
   pointers: then it is a tail.

   One source iteration is the unit: a scalar member, or a scalar copy of the body outside the loops, since
   GCC lays out short tails as straight code. Some operation of the source must be in it exactly once: two
   iterations in a row would have it twice. If there is no such code, the smallest scalar member is used if
   the main loop is larger. The iterations of the other members follow from their footprints, or are unknown.
 */
#include "code/quality/families.h"

#include "code/quality/footprint.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A place may belong to several families if macros put everything into one line; only this many are followed.
   Families with more than MOST_ORDERED members are not a main loop with its tail, so the control flow between
   them is not examined; nor is it far from a loop. */
enum { MOST_SHARING = 4, MOST_ORDERED = 12, MOST_ANCESTORS = 16, MOST_BLOCKS_AROUND = 512 };

struct place {
    uint32_t file, line, column, call;
};

/* Instructions of a member at a place. */
struct sighting {
    struct place place;
    uint32_t member;
    struct repetition repetition;
};

/* The families that know a place. */
struct sharing {
    uint32_t families[MOST_SHARING]; /* place in families + 1; 0: none */
};

struct position {
    struct place place;
    uint32_t line; /* place in lines */
    struct sharing sharing;
    uint32_t block;               /* where it was last seen outside loops, */
    struct repetition repetition; /* and how often */
};

struct relative {
    uint32_t loop, family; /* family: place in families */
    struct footprint footprint;
    uint32_t first, count; /* in known: its positions */
    uint32_t line_count;   /* lines that these are in */
    bool is_single;        /* some operation is in it once */
    enum loop_role role;
};

struct family {
    uint32_t main;                             /* place in members */
    uint32_t member_count, least, least_lines; /* least: positions of the member with the fewest */
    uint32_t votes, line_votes, voter;         /* voter: the member that they belong to, + 1 */
    struct footprint unit;                     /* of one source iteration; empty: unknown */
    struct footprint fallback;                 /* the most likely one, if nothing better is found */
    struct footprint piece;
    uint32_t block; /* that the piece is of */
    bool is_single_piece;
};

struct search {
    struct model *model;
    const struct function *function;
    struct array members, families, positions, sightings;
    struct array lines;   /* of struct sharing */
    struct array known;   /* of uint32_t: positions of members */
    struct array touched; /* of uint32_t: families, and */
    struct array seen;    /* of uint32_t: positions, of a block */
    struct array queue;   /* of uint32_t: blocks */
    struct array stamps;  /* of uint32_t, by place of a block in the function: the search that saw it */
    uint32_t stamp;
};

static struct relative *member_at(const struct search *search, size_t index)
{
    return ARRAY_AT(struct relative, &search->members, index);
}
static struct family *family_at(const struct search *search, size_t index)
{
    return ARRAY_AT(struct family, &search->families, index);
}
static struct position *position_at(const struct search *search, size_t index)
{
    return ARRAY_AT(struct position, &search->positions, index);
}
static uint32_t number_at(const struct array *numbers, size_t index)
{
    return *ARRAY_AT(uint32_t, numbers, index);
}

static int compare_lines(const struct place *a, const struct place *b)
{
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int compare_places(const struct place *a, const struct place *b)
{
    int order = compare_lines(a, b);
    return order ? order : a->column < b->column ? -1 : a->column > b->column;
}

static int compare_sightings(const void *one, const void *other)
{
    const struct sighting *a = one, *b = other;
    int order = compare_places(&a->place, &b->place);
    return order ? order : a->member < b->member ? -1 : a->member > b->member;
}

static struct place place_of(const struct model *model, uint32_t source_line)
{
    const struct source_line *row = model_source_line(model, source_line);
    return (struct place){row->file, row->line, row->column, row->inlined_call};
}

static void see_block(struct search *search, uint32_t block, uint32_t index)
{
    const struct model *model = search->model;
    const struct block *row = model_block(model, block);
    struct sighting *sighting = NULL;
    uint32_t line = 0;
    for (uint32_t i = 0; i < row->instruction_count; i++) {
        uint32_t instruction = row->first_instruction + i;
        const struct instruction *code = model_instruction(model, instruction);
        footprint_add(&member_at(search, index)->footprint, model, instruction);
        if (!code->source_line || !model_source_line(model, code->source_line)->line)
            continue;
        if (!sighting || code->source_line != line) {
            line = code->source_line;
            sighting = array_add(&search->sightings);
            sighting->place = place_of(model, line);
            sighting->member = index;
        }
        repetition_add(&sighting->repetition, model, instruction);
    }
}

static void see_loop(struct search *search, uint32_t loop)
{
    const struct model *model = search->model;
    uint32_t index = (uint32_t)search->members.count;
    *(struct relative *)array_add(&search->members) = (struct relative){.loop = loop};
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++)
        see_block(search, model_loop_block(model, (uint32_t)at)->block, index);
}

/* The last position belongs to a member. */
static void know_position(struct search *search, struct relative *member)
{
    uint32_t position = (uint32_t)search->positions.count - 1, last = member->first + member->count;
    if (!member->count ||
        position_at(search, number_at(&search->known, last - 1))->line != position_at(search, position)->line)
        member->line_count++;
    *ARRAY_AT(uint32_t, &search->known, last) = position;
    member->count++;
}

/* Sightings, in order of places, become positions, and those of each member a run of known. */
static void number_positions(struct search *search)
{
    struct sighting *all = search->sightings.data;
    size_t count = search->sightings.count, kept = 0;
    if (count)
        qsort(all, count, sizeof *all, compare_sightings);
    for (size_t i = 0; i < count; i++) {
        if (kept && !compare_sightings(&all[kept - 1], &all[i])) {
            struct repetition *repetition = &all[kept - 1].repetition;
            repetition->computes += all[i].repetition.computes;
            repetition->stores += all[i].repetition.stores;
            repetition->loads += all[i].repetition.loads;
            continue;
        }
        all[kept++] = all[i];
    }
    search->sightings.count = kept;
    for (size_t i = 0; i < kept; i++) {
        struct relative *member = member_at(search, all[i].member);
        member->count++;
        member->is_single |= repetition_is_single(&all[i].repetition, &member->footprint);
    }
    uint32_t first = 0;
    for (size_t i = 0; i < search->members.count; i++) {
        member_at(search, i)->first = first;
        first += member_at(search, i)->count;
        member_at(search, i)->count = 0;
    }
    search->known.count = 0;
    array_push_many(&search->known, kept);
    for (size_t i = 0; i < kept; i++) {
        if (!i || compare_lines(&all[i - 1].place, &all[i].place))
            array_add(&search->lines);
        if (!i || compare_places(&all[i - 1].place, &all[i].place))
            *(struct position *)array_add(&search->positions) =
                (struct position){.place = all[i].place, .line = (uint32_t)search->lines.count - 1};
        know_position(search, member_at(search, all[i].member));
    }
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Whether a family knows enough of a member that votes. */
static bool is_related(const struct family *family, const struct relative *member)
{
    uint32_t places = lesser(member->count, family->least),
             lines = lesser(member->line_count, family->least_lines);
    if (2 * family->votes >= places)
        return true;
    return 2 * family->line_votes >= lines && (family->votes || places == 1);
}

static void vote(struct search *search, uint32_t index, const struct sharing *sharing, bool is_line)
{
    for (unsigned k = 0; k < MOST_SHARING && sharing->families[k]; k++) {
        struct family *family = family_at(search, sharing->families[k] - 1);
        if (family->voter != index + 1) {
            family->votes = family->line_votes = 0;
            family->voter = index + 1;
            *(uint32_t *)array_push(&search->touched) = sharing->families[k] - 1;
        }
        family->votes += !is_line;
        family->line_votes += is_line;
    }
}

/* The family that knows most of a member's places; UINT32_MAX for none that knows enough. */
static uint32_t find_family(struct search *search, uint32_t index)
{
    const struct relative *member = member_at(search, index);
    uint32_t best = UINT32_MAX, line = UINT32_MAX;
    if (footprint_is_empty(&member->footprint))
        return best;
    for (uint32_t i = 0; i < member->count; i++) {
        const struct position *position = position_at(search, number_at(&search->known, member->first + i));
        vote(search, index, &position->sharing, false);
        if (position->line != line)
            vote(search, index, ARRAY_AT(struct sharing, &search->lines, position->line), true);
        line = position->line;
    }
    for (size_t i = 0; i < search->touched.count; i++) {
        uint32_t candidate = number_at(&search->touched, i);
        const struct family *family = family_at(search, candidate);
        if (is_related(family, member) &&
            member_at(search, family->main)->footprint.is_atomic == member->footprint.is_atomic &&
            (best == UINT32_MAX || family->votes > family_at(search, best)->votes ||
             (family->votes == family_at(search, best)->votes &&
              family->line_votes > family_at(search, best)->line_votes)))
            best = candidate;
    }
    search->touched.count = 0;
    return best;
}

static void share(struct sharing *sharing, uint32_t family)
{
    unsigned k = 0;
    while (k < MOST_SHARING && sharing->families[k] && sharing->families[k] != family + 1)
        k++;
    if (k < MOST_SHARING)
        sharing->families[k] = family + 1;
}

static void join(struct search *search, uint32_t index)
{
    struct relative *member = member_at(search, index);
    uint32_t family = find_family(search, index);
    if (family == UINT32_MAX) {
        family = (uint32_t)search->families.count;
        *(struct family *)array_add(&search->families) =
            (struct family){.main = index, .least = member->count, .least_lines = member->line_count};
    }
    struct family *row = family_at(search, family);
    member->family = family;
    row->member_count++;
    row->least = lesser(row->least, member->count);
    row->least_lines = lesser(row->least_lines, member->line_count);
    for (uint32_t i = 0; i < member->count && !footprint_is_empty(&member->footprint); i++) {
        struct position *position = position_at(search, number_at(&search->known, member->first + i));
        share(&position->sharing, family);
        share(ARRAY_AT(struct sharing, &search->lines, position->line), family);
    }
}

/* Which of two does more in an iteration: below, equal to or above 0. */
static int compare_sizes(const struct footprint *a, const struct footprint *b)
{
    if (a->is_scalable != b->is_scalable)
        return a->is_scalable ? 1 : -1;
    uint32_t ratio = footprint_ratio(a, b);
    if (ratio)
        return ratio > 1;
    if (footprint_ratio(b, a))
        return -1;
    if (a->flops != b->flops)
        return a->flops < b->flops ? -1 : 1;
    if (a->stored != b->stored)
        return a->stored < b->stored ? -1 : 1;
    return a->loaded < b->loaded ? -1 : a->loaded > b->loaded;
}

static bool is_ancestor_header(const uint32_t *ancestors, unsigned count, uint32_t block)
{
    for (unsigned i = 0; i < count; i++)
        if (ancestors[i] == block)
            return true;
    return false;
}

/* Puts the blocks that can run after these edges into the queue, once. */
static void follow_edges(struct search *search, uint32_t block, uint32_t without, const uint32_t *ancestors,
                         unsigned ancestor_count)
{
    const struct model *model = search->model;
    size_t at = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
    for (; at < model->edges.count && model_edge(model, (uint32_t)at)->source == block; at++) {
        const struct edge *edge = model_edge(model, (uint32_t)at);
        uint32_t place = edge->target - search->function->first_block;
        if (edge->kind == edge_kind_EXCEPTION || edge->kind == edge_kind_TAIL_CALL ||
            place >= search->function->block_count || model_block(model, edge->target)->loop == without ||
            is_ancestor_header(ancestors, ancestor_count, edge->target) ||
            *ARRAY_AT(uint32_t, &search->stamps, place) == search->stamp)
            continue;
        *ARRAY_AT(uint32_t, &search->stamps, place) = search->stamp;
        *(uint32_t *)array_push(&search->queue) = edge->target;
    }
}

/* Stamps the blocks that run after a loop, before the loops around it turn. */
static void look_from(struct search *search, uint32_t loop)
{
    const struct model *model = search->model;
    uint32_t ancestors[MOST_ANCESTORS];
    unsigned ancestor_count = 0;
    for (uint32_t up = model_loop(model, loop)->parent; up && ancestor_count < MOST_ANCESTORS;
         up = model_loop(model, up)->parent)
        ancestors[ancestor_count++] = model_loop(model, up)->header;
    search->queue.count = 0;
    search->stamp++;
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++)
        follow_edges(search, model_loop_block(model, (uint32_t)at)->block, loop, ancestors, ancestor_count);
    for (size_t i = 0; i < search->queue.count && search->queue.count < MOST_BLOCKS_AROUND; i++)
        follow_edges(search, number_at(&search->queue, i), loop, ancestors, ancestor_count);
}

static bool is_reached(const struct search *search, uint32_t loop)
{
    uint32_t header = model_loop(search->model, loop)->header;
    return *ARRAY_AT(uint32_t, &search->stamps, header - search->function->first_block) == search->stamp;
}

/* If vectors of one width are made from vectors of another, they are loaded piece by piece, some pieces
   twice; the operations are still those of the scalar loop. */
static bool is_scalar_part(const struct footprint *whole, const struct footprint *part)
{
    return whole->vector_flops && footprint_is_scalar(part) && part->flops &&
           whole->flops % part->flops == 0 && !whole->stored == !part->stored;
}

/* Whether both do the same work, so that one can take over iterations of the other. */
static bool are_alike(const struct footprint *one, const struct footprint *other)
{
    if (!footprint_is_alike(one, other))
        return false;
    return one->is_scalable || other->is_scalable || footprint_ratio(one, other) ||
           footprint_ratio(other, one) || is_scalar_part(one, other) || is_scalar_part(other, one);
}

/* Members of one family, which are few. */
static void order_members(struct search *search, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        member_at(search, indices[i])->role = loop_role_VERSION;
    for (uint32_t i = 0; i < count && count <= MOST_ORDERED; i++) {
        struct relative *from = member_at(search, indices[i]);
        look_from(search, from->loop);
        for (uint32_t k = 0; k < count; k++) {
            struct relative *to = member_at(search, indices[k]);
            if (k == i || !is_reached(search, to->loop))
                continue;
            int order = compare_sizes(&from->footprint, &to->footprint);
            if (!are_alike(&from->footprint, &to->footprint))
                continue;
            if (order > 0)
                to->role = loop_role_TAIL;
            else if (order < 0 && from->role == loop_role_VERSION)
                from->role = loop_role_PEEL;
        }
    }
}

static const struct relative *smallest_scalar(const struct search *search, const uint32_t *indices,
                                              uint32_t count)
{
    const struct relative *least = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct relative *member = member_at(search, indices[i]);
        if (footprint_is_scalar(&member->footprint) && !footprint_is_empty(&member->footprint) &&
            (!least || compare_sizes(&member->footprint, &least->footprint) < 0))
            least = member;
    }
    return least;
}

/* A scalar member that does one source iteration. */
static void find_unit(struct search *search, const uint32_t *indices, uint32_t count)
{
    const struct relative *least = smallest_scalar(search, indices, count);
    if (!least)
        return;
    struct family *family = family_at(search, least->family);
    if (least->is_single)
        family->unit = least->footprint;
    else if (footprint_ratio(&member_at(search, family->main)->footprint, &least->footprint) > 1)
        family->fallback = least->footprint;
}

/* Members in order of families, through known, whose positions are not needed any more. */
static void find_roles(struct search *search)
{
    size_t members = search->members.count;
    uint32_t *order = memory_get((members + search->families.count + 1) * sizeof *order);
    uint32_t *ends = order + members;
    for (size_t i = 0; i < search->families.count; i++)
        ends[i + 1] = ends[i] + family_at(search, i)->member_count;
    for (size_t i = 0; i < members; i++)
        order[ends[member_at(search, i)->family]++] = (uint32_t)i;
    for (size_t i = 0; i < search->families.count; i++) {
        struct family *family = family_at(search, i);
        uint32_t *indices = order + ends[i] - family->member_count;
        for (uint32_t k = 1; k < family->member_count; k++)
            if (compare_sizes(&member_at(search, indices[k])->footprint,
                              &member_at(search, family->main)->footprint) > 0)
                family->main = indices[k];
        if (family->member_count > 1)
            order_members(search, indices, family->member_count);
        member_at(search, family->main)->role = family->member_count > 1 ? loop_role_MAIN : loop_role_ONLY;
        find_unit(search, indices, family->member_count);
    }
    free(order);
}

/* The position of a place; NULL if no loop has it, or several families do. */
static struct position *find_position(const struct search *search, uint32_t source_line)
{
    struct place place = place_of(search->model, source_line);
    struct bisection bisection = {0, search->positions.count};
    while (bisect(&bisection)) {
        struct position *position = position_at(search, bisection.middle);
        int order = compare_places(&position->place, &place);
        if (!order)
            return position->sharing.families[0] && !position->sharing.families[1] ? position : NULL;
        bisect_past(&bisection, order < 0);
    }
    return NULL;
}

/* Whether a piece of straight code is one source iteration of a family. */
static bool is_unit(const struct search *search, const struct family *family)
{
    const struct footprint *piece = &family->piece, *main = &member_at(search, family->main)->footprint;
    return family->is_single_piece && footprint_is_scalar(piece) && !piece->flops == !main->flops &&
           !piece->stored == !main->stored && !piece->loaded == !main->loaded &&
           footprint_ratio(main, piece) >= 1;
}

static void end_block(struct search *search)
{
    for (size_t i = 0; i < search->seen.count; i++) {
        const struct position *position = position_at(search, number_at(&search->seen, i));
        struct family *family = family_at(search, position->sharing.families[0] - 1);
        family->is_single_piece |=
            repetition_is_single(&position->repetition, &member_at(search, family->main)->footprint);
    }
    for (size_t i = 0; i < search->touched.count; i++) {
        struct family *family = family_at(search, number_at(&search->touched, i));
        if (is_unit(search, family) &&
            (footprint_is_empty(&family->unit) || compare_sizes(&family->piece, &family->unit) < 0))
            family->unit = family->piece;
    }
    search->seen.count = search->touched.count = 0;
}

/* The work of a block outside of loops at places of families. */
static void see_outside(struct search *search, uint32_t block)
{
    const struct model *model = search->model;
    const struct block *row = model_block(model, block);
    struct position *position = NULL;
    uint32_t line = 0;
    for (uint32_t i = 0; i < row->instruction_count; i++) {
        uint32_t instruction = row->first_instruction + i;
        const struct instruction *code = model_instruction(model, instruction);
        if (!code->source_line)
            continue;
        if (code->source_line != line)
            position = find_position(search, line = code->source_line);
        if (!position)
            continue;
        uint32_t index = position->sharing.families[0] - 1;
        struct family *family = family_at(search, index);
        if (family->block != block) {
            family->block = block;
            family->piece = (struct footprint){0};
            family->is_single_piece = false;
            *(uint32_t *)array_push(&search->touched) = index;
        }
        if (position->block != block) {
            position->block = block;
            position->repetition = (struct repetition){0};
            *(uint32_t *)array_push(&search->seen) =
                (uint32_t)(position - (struct position *)search->positions.data);
        }
        footprint_add(&family->piece, model, instruction);
        repetition_add(&position->repetition, model, instruction);
    }
    end_block(search);
}

/* Scalar copies outside of loops. */
static void find_pieces(struct search *search)
{
    for (uint32_t i = 0; i < search->function->block_count; i++) {
        uint32_t block = search->function->first_block + i, loop = model_block(search->model, block)->loop;
        if (!loop || !model_loop(search->model, loop)->is_innermost)
            see_outside(search, block);
    }
}

static void put_member(struct search *search, const struct relative *member, uint32_t first_family)
{
    const struct family *family = family_at(search, member->family);
    struct loop_role_row row = {.loop = member->loop,
                                .family = first_family + member->family,
                                .role = (uint8_t)member->role,
                                .iterations = NO_NUMBER,
                                .unroll = NO_NUMBER};
    uint32_t iterations =
        footprint_is_empty(&family->unit) ? 0 : footprint_ratio(&member->footprint, &family->unit);
    /* Vectors that do only one iteration were in the source, or the amounts agree by chance. */
    if (iterations == 1 && !footprint_is_scalar(&member->footprint))
        iterations = 0;
    uint32_t lanes = iterations ? footprint_lanes(&member->footprint, &family->unit, iterations) : 0;
    if (iterations && iterations < INT32_MAX)
        row.iterations = (int32_t)iterations;
    if (lanes && iterations < INT32_MAX)
        row.unroll = (int32_t)(iterations / lanes);
    *(struct loop_role_row *)model_add(&search->model->loop_roles) = row;
}

static void put_rows(struct search *search, uint32_t function)
{
    struct model *model = search->model;
    uint32_t first = (uint32_t)model->loop_families.count;
    for (size_t i = 0; i < search->families.count; i++) {
        struct family *family = family_at(search, i);
        uint32_t main = member_at(search, family->main)->loop;
        if (footprint_is_empty(&family->unit))
            family->unit = family->fallback;
        const struct loop *loop = model_loop(model, main);
        *(struct loop_family *)model_add(&model->loop_families) =
            (struct loop_family){.function = function,
                                 .file = loop->file,
                                 .first_line = loop->first_line,
                                 .last_line = loop->last_line,
                                 .main = main,
                                 .loop_count = family->member_count};
    }
    for (size_t i = 0; i < search->members.count; i++)
        put_member(search, member_at(search, i), first);
}

static void find_in_function(struct search *search, uint32_t function)
{
    struct model *model = search->model;
    search->function = model_function(model, function);
    search->members.count = search->families.count = search->positions.count = 0;
    search->sightings.count = search->lines.count = 0;
    if (search->stamps.count < search->function->block_count)
        array_add_many(&search->stamps, search->function->block_count - search->stamps.count);
    size_t at = array_first_not_below(&model->loops, 1, offsetof(struct loop, function), function);
    for (; at < model->loops.count && model_loop(model, (uint32_t)at)->function == function; at++)
        if (model_loop(model, (uint32_t)at)->is_innermost)
            see_loop(search, (uint32_t)at);
    number_positions(search);
    for (size_t i = 0; i < search->members.count; i++)
        join(search, (uint32_t)i);
    find_roles(search);
    find_pieces(search);
    put_rows(search, function);
}

void families_find(struct model *model, const struct array *loops)
{
    struct search search = {.model = model,
                            .members = ARRAY_OF(struct relative),
                            .families = ARRAY_OF(struct family),
                            .positions = ARRAY_OF(struct position),
                            .sightings = ARRAY_OF(struct sighting),
                            .lines = ARRAY_OF(struct sharing),
                            .known = ARRAY_OF(uint32_t),
                            .touched = ARRAY_OF(uint32_t),
                            .seen = ARRAY_OF(uint32_t),
                            .queue = ARRAY_OF(uint32_t),
                            .stamps = ARRAY_OF(uint32_t)};
    uint32_t last = 0;
    model->loop_families.count = 1;
    model->loop_roles.count = 0;
    for (size_t i = 0; i < loops->count; i++) {
        uint32_t function = model_loop(model, *ARRAY_AT(uint32_t, loops, i))->function;
        if (function != last)
            find_in_function(&search, function);
        last = function;
    }
    struct array *const used[] = {&search.members, &search.families, &search.positions, &search.sightings,
                                  &search.lines,   &search.known,    &search.touched,   &search.seen,
                                  &search.queue,   &search.stamps};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        array_free(used[i]);
}

const struct loop_role_row *families_role(const struct model *model, uint32_t loop)
{
    size_t at = array_first_not_below(&model->loop_roles, 0, offsetof(struct loop_role_row, loop), loop);
    if (at == model->loop_roles.count || model_loop_role_row(model, (uint32_t)at)->loop != loop)
        return NULL;
    return model_loop_role_row(model, (uint32_t)at);
}
