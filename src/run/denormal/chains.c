/* The story: from the places where denormals are born through the arrays that they pass.

   Births that one change would remove are grouped. That is decided by the innermost frame that lies in the
   program itself and has a source line (libraries are seldom what a user changes): births with the same
   function there and the same innermost loop, or outside loops the same line, are one group. Its chain names
   the birth with the most values, and has the values of all.

   A lower bound of the operations that would disappear with a group: an operation does if all births that its
   denormals descend from are in the group. The tracer counts that for single births (removable), so their sum
   is one bound. The other is all operations minus those that descend from any birth outside (descendants,
   which may count one twice). The larger of the two is reported, and never more than the group's own
   descendants.

   The arrays are a tree: the array that most of the group's values are stored in first, then again and again
   the largest flow from an array of the tree to one that is not in it. */
#include "run/denormal/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CHAINS = 10, /* of a run, the largest */
    MOST_STEPS = 8,   /* arrays of a chain: more would be a list, not a story */
};
/* Less than this share of what flows, of the births or of the operations is noise. */
static const double LEAST_SHARE = 0.01;

struct birth_key { /* the common part of the births of a group */
    uint32_t program, function, loop, file, line;
    uint64_t address; /* if nothing else is known */
};

struct grouped_birth {
    struct birth_key key;
    uint32_t birth;
};

struct group {
    uint32_t birth;      /* with the most values */
    size_t first, count; /* among the members */
    uint64_t values, removable, descendants;
    double share;
};

struct story {
    struct model *model;
    uint32_t run;
    struct array members, groups;
    uint64_t operations, values, descendants; /* of the run */
    const struct denormal_origin *origins;    /* of the run; no row is added to them here */
    size_t origin_count;
};

static uint32_t first_frame(const struct model *model, uint32_t stack)
{
    return (uint32_t)array_first_not_below(&model->denormal_frames, 0, offsetof(struct denormal_frame, stack),
                                           stack);
}

/* The frame that a user would look at; NULL where none has a source line. */
static const struct denormal_frame *frame_to_tell(const struct model *model, uint32_t stack)
{
    const struct denormal_frame *found = NULL;
    for (uint32_t i = first_frame(model, stack); stack && i < model->denormal_frames.count; i++) {
        const struct denormal_frame *frame = model_denormal_frame(model, i);
        if (frame->stack != stack)
            break;
        if (!frame->line)
            continue;
        if (frame->program && model_program(model, frame->program)->format != format_SHARED)
            return frame;
        if (!found)
            found = frame;
    }
    return found;
}

static struct birth_key key_of(struct model *model, const struct denormal_birth *birth)
{
    struct birth_key key = {0};
    const struct denormal_frame *frame = frame_to_tell(model, birth->stack);
    if (!frame) {
        key.program = birth->program;
        key.function = birth->function;
        key.address = birth->function ? 0 : birth->address;
        return key;
    }
    key.program = frame->program;
    key.function = frame->function;
    uint64_t address = frame->address - (frame->position > 1 && frame->address);
    uint32_t block = frame->program ? places_block_at(model, frame->program, address) : 0;
    key.loop = block ? model_block(model, block)->loop : 0;
    if (!key.loop) {
        key.file = frame->file;
        key.line = frame->line;
    }
    return key;
}

static int compare_keys(const struct birth_key *a, const struct birth_key *b)
{
    const uint64_t left[] = {a->program, a->function, a->loop, a->file, a->line, a->address};
    const uint64_t right[] = {b->program, b->function, b->loop, b->file, b->line, b->address};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_key(const void *left, const void *right)
{
    const struct grouped_birth *a = left, *b = right;
    int order = compare_keys(&a->key, &b->key);
    return order ? order : (a->birth > b->birth) - (a->birth < b->birth);
}

static int by_weight(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    double ours = isnan(a->share) ? 0 : a->share, theirs = isnan(b->share) ? 0 : b->share;
    if (ours != theirs)
        return ours < theirs ? 1 : -1;
    if (a->values != b->values)
        return a->values < b->values ? 1 : -1;
    return (a->birth > b->birth) - (a->birth < b->birth);
}

static void find_members(struct story *story)
{
    struct model *model = story->model;
    for (uint32_t id =
             denormal_first_of_run(&model->denormal_births, offsetof(struct denormal_birth, run), story->run);
         id < model->denormal_births.count; id++) {
        const struct denormal_birth *birth = model_denormal_birth(model, id);
        if (birth->run != story->run)
            break;
        *(struct grouped_birth *)array_push(&story->members) =
            (struct grouped_birth){key_of(model, birth), id};
        story->values += birth->values;
        story->descendants += birth->descendants;
    }
    for (uint32_t id =
             denormal_first_of_run(&model->denormal_sites, offsetof(struct denormal_site, run), story->run);
         id < model->denormal_sites.count && model_denormal_site(model, id)->run == story->run; id++)
        story->operations += model_denormal_site(model, id)->operand_events;
    uint32_t first =
        denormal_first_of_run(&model->denormal_origins, offsetof(struct denormal_origin, run), story->run);
    story->origins = model_denormal_origin(model, first);
    while (first + story->origin_count < model->denormal_origins.count &&
           story->origins[story->origin_count].run == story->run)
        story->origin_count++;
    if (story->members.count)
        qsort(story->members.data, story->members.count, sizeof(struct grouped_birth), by_key);
}

static double share_of(const struct story *story, const struct group *group)
{
    if (!story->operations)
        return NAN;
    uint64_t outside = story->descendants - group->descendants;
    uint64_t rest = story->operations > outside ? story->operations - outside : 0;
    uint64_t goes = rest > group->removable ? rest : group->removable;
    uint64_t most = group->descendants < story->operations ? group->descendants : story->operations;
    return (double)(goes < most ? goes : most) / (double)story->operations;
}

static void find_groups(struct story *story)
{
    const struct model *model = story->model;
    for (size_t i = 0; i < story->members.count; i++) {
        const struct grouped_birth *member = ARRAY_AT(struct grouped_birth, &story->members, i);
        const struct denormal_birth *birth = model_denormal_birth(model, member->birth);
        bool is_new =
            !i || compare_keys(&member->key, &ARRAY_AT(struct grouped_birth, &story->members, i - 1)->key);
        if (is_new)
            *(struct group *)array_push(&story->groups) = (struct group){.birth = member->birth, .first = i};
        struct group *group = ARRAY_AT(struct group, &story->groups, story->groups.count - 1);
        if (birth->values > model_denormal_birth(model, group->birth)->values)
            group->birth = member->birth;
        group->count++;
        group->values += birth->values;
        group->removable += birth->removable;
        group->descendants += birth->descendants;
    }
    for (size_t i = 0; i < story->groups.count; i++) {
        struct group *group = ARRAY_AT(struct group, &story->groups, i);
        group->share = share_of(story, group);
    }
}

static void add_step(struct model *model, uint32_t chain, uint32_t position, uint32_t array, uint32_t source,
                     uint64_t count)
{
    *(struct denormal_chain_step *)model_add(&model->denormal_chain_steps) = (struct denormal_chain_step){
        .chain = chain, .position = position, .array = array, .source = source, .count = count};
}

/* The array that the values of a group are stored in first, most of them. */
static uint32_t first_array(const struct story *story, const struct group *group)
{
    const struct model *model = story->model;
    uint64_t most = 0;
    uint32_t array = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct denormal_birth *birth = model_denormal_birth(
            model, ARRAY_AT(struct grouped_birth, &story->members, group->first + i)->birth);
        if (birth->array && birth->values > most) {
            most = birth->values;
            array = birth->array;
        }
    }
    return array;
}

static bool is_among(const uint32_t *arrays, size_t count, uint32_t array)
{
    for (size_t i = 0; i < count; i++)
        if (arrays[i] == array)
            return true;
    return false;
}

/* The largest flow of the run out of the tree; NULL where all are small or inside. */
static const struct denormal_origin *next_flow(const struct story *story, const uint32_t *arrays,
                                               size_t count, uint64_t least)
{
    const struct denormal_origin *best = NULL;
    for (size_t i = 0; i < story->origin_count; i++) {
        const struct denormal_origin *origin = &story->origins[i];
        if (origin->count >= least && (!best || origin->count > best->count) && origin->source &&
            is_among(arrays, count, origin->source) && origin->destination &&
            !is_among(arrays, count, origin->destination))
            best = origin;
    }
    return best;
}

static void add_steps(const struct story *story, uint32_t chain, const struct group *group)
{
    struct model *model = story->model;
    uint32_t arrays[MOST_STEPS], array = first_array(story, group);
    size_t count = 0;
    if (!array)
        return;
    uint64_t flow = group->values;
    for (size_t i = 0; i < story->origin_count; i++)
        if (story->origins[i].source == array && story->origins[i].count > flow)
            flow = story->origins[i].count;
    add_step(model, chain, 1, array, 0, group->values);
    arrays[count++] = array;
    uint64_t least = (uint64_t)ceil((double)flow * LEAST_SHARE);
    while (count < MOST_STEPS) {
        const struct denormal_origin *next = next_flow(story, arrays, count, least);
        if (!next)
            return;
        add_step(model, chain, (uint32_t)count + 1, next->destination, next->source, next->count);
        arrays[count++] = next->destination;
    }
}

static bool is_worth_telling(const struct story *story, const struct group *group)
{
    return group->share >= LEAST_SHARE || (double)group->values >= LEAST_SHARE * (double)story->values;
}

static void tell_run(struct model *model, uint32_t run)
{
    struct story story = {.model = model,
                          .run = run,
                          .members = ARRAY_OF(struct grouped_birth),
                          .groups = ARRAY_OF(struct group)};
    find_members(&story);
    find_groups(&story);
    if (story.groups.count)
        qsort(story.groups.data, story.groups.count, sizeof(struct group), by_weight);
    for (size_t i = 0; i < story.groups.count && i < MOST_CHAINS; i++) {
        const struct group *group = ARRAY_AT(struct group, &story.groups, i);
        if (i && !is_worth_telling(&story, group))
            continue;
        *(struct denormal_chain *)model_add(&model->denormal_chains) = (struct denormal_chain){
            .run = run, .birth = group->birth, .values = group->values, .share = group->share};
        uint32_t chain = model_last(&model->denormal_chains);
        for (size_t j = 0; j < group->count; j++)
            model_denormal_birth(model,
                                 ARRAY_AT(struct grouped_birth, &story.members, group->first + j)->birth)
                ->chain = chain;
        add_steps(&story, chain, group);
    }
    array_free(&story.members);
    array_free(&story.groups);
}

void denormal_add_chains(struct model *model)
{
    for (uint32_t run = 1; run < model->denormal_runs.count; run++)
        tell_run(model, run);
}
