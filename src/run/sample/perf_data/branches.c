#include "run/sample/perf_data/branches.h"

#include <string.h>

enum {
    MOST_BRANCHES = 64, /* no processor has more */
    MOST_RETURNS = 1 << 16,
    LARGEST_LOOP = 1 << 20,
    CYCLES_SHIFT = 4,
    CYCLES_MASK = 0xffff /* which also stands for all larger numbers */
};

struct jump {
    uint64_t from, to, cycles;
};

static struct jump jump_at(const struct perf_data_sample *sample, size_t place)
{
    struct perf_data_branch branch;
    memcpy(&branch, sample->branches + place * sizeof branch, sizeof branch);
    return (struct jump){branch.from, branch.to, branch.flags >> CYCLES_SHIFT & CYCLES_MASK};
}

static bool is_backward(const struct jump *jump)
{
    return jump->to <= jump->from && jump->from - jump->to < LARGEST_LOOP;
}

static struct sample_return *return_to(struct perf_data_branches *branches, struct collector *collector,
                                       uint32_t process, uint64_t target)
{
    struct array *returns = &branches->recording->returns;
    uint32_t file;
    uint64_t address;
    size_t slot = SIZE_MAX;
    if (!collector_locate(collector, process, target, &file, &address))
        return NULL;
    uint64_t hash = hash_mix(hash_mix(7, file), address);
    for (uint32_t place; (place = hash_index_next(&branches->by_place, hash, &slot)) != UINT32_MAX;) {
        struct sample_return *known = ARRAY_AT(struct sample_return, returns, place);
        if (known->file == file && known->address == address)
            return known;
    }
    if (returns->count >= MOST_RETURNS)
        return NULL;
    hash_index_add(&branches->by_place, hash, (uint32_t)returns->count);
    struct sample_return *made = array_add(returns);
    made->file = file;
    made->address = address;
    return made;
}

/* What came after a jump back, towards the latest: another one to the same place, code outside, or the sample. */
static void follow(struct perf_data_branches *branches, struct collector *collector,
                   const struct perf_data_sample *sample, const struct jump *jumps, size_t place)
{
    const struct jump *back = &jumps[place];
    uint64_t cycles = 0, end = back->from;
    bool is_known = true;
    for (size_t i = place; i-- > 0;) {
        const struct jump *next = &jumps[i];
        bool is_again = next->to == back->to && is_backward(next);
        bool is_inside = next->from >= back->to &&
                         (is_again || (next->from <= end && next->to >= back->to && next->to <= end));
        cycles += next->cycles;
        is_known &= next->cycles && next->cycles < CYCLES_MASK;
        if (is_inside && !is_again)
            continue;
        struct sample_return *found = return_to(branches, collector, sample->process, back->to);
        if (found) {
            found->again += is_again;
            found->left += !is_again;
            found->iterations += is_again && is_known;
            found->cycles += is_again && is_known ? (double)cycles : 0;
        }
        return;
    }
}

void perf_data_branches_take(struct perf_data_branches *branches, struct collector *collector,
                             const struct perf_data_sample *sample)
{
    struct jump jumps[MOST_BRANCHES];
    size_t count = sample->branch_count < MOST_BRANCHES ? sample->branch_count : MOST_BRANCHES;
    for (size_t i = 0; i < count; i++)
        jumps[i] = jump_at(sample, i);
    for (size_t i = 0; i < count; i++)
        if (is_backward(&jumps[i]))
            follow(branches, collector, sample, jumps, i);
}

void perf_data_branches_end(struct perf_data_branches *branches)
{
    hash_index_free(&branches->by_place);
}
