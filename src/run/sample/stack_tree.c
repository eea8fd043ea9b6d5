#include "run/sample/stack_tree.h"

#include "base/strings.h"

enum { NO_FRAME = 0, NO_NODE = 0 };

void stack_tree_begin(struct stack_tree *tree, struct sample_recording *recording, size_t most_nodes)
{
    *tree = (struct stack_tree){.recording = recording, .most_nodes = most_nodes};
    if (!recording->frames.count)
        array_add(&recording->frames);
    if (!recording->nodes.count)
        array_add(&recording->nodes);
}

void stack_tree_end(struct stack_tree *tree)
{
    hash_index_free(&tree->frames);
    hash_index_free(&tree->nodes);
    hash_index_free(&tree->counts);
}

uint32_t stack_tree_frame(struct stack_tree *tree, uint32_t file, uint64_t address, bool is_leaf)
{
    size_t most = is_leaf ? 2 * tree->most_nodes : tree->most_nodes;
    struct array *frames = &tree->recording->frames;
    uint64_t hash = hash_mix(hash_mix(1, file), address);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&tree->frames, hash, &slot)) != UINT32_MAX;) {
        const struct sample_frame *frame = ARRAY_AT(struct sample_frame, frames, place);
        if (frame->file == file && frame->address == address)
            return place;
    }
    if (frames->count > most)
        return NO_FRAME;
    uint32_t place = (uint32_t)frames->count;
    *(struct sample_frame *)array_add(frames) = (struct sample_frame){.file = file, .address = address};
    hash_index_add(&tree->frames, hash, place);
    return place;
}

/* NO_NODE: it is not there, and there is no room for more than `most`. */
static uint32_t node_of(struct stack_tree *tree, uint32_t caller, uint32_t frame, bool is_cut, size_t most)
{
    struct array *nodes = &tree->recording->nodes;
    uint64_t hash = hash_mix(hash_mix(is_cut + 2u, caller), frame);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&tree->nodes, hash, &slot)) != UINT32_MAX;) {
        const struct sample_node *node = ARRAY_AT(struct sample_node, nodes, place);
        if (node->caller == caller && node->frame == frame && node->is_cut == is_cut)
            return place;
    }
    if (nodes->count > most)
        return NO_NODE;
    uint32_t place = (uint32_t)nodes->count;
    *(struct sample_node *)array_add(nodes) =
        (struct sample_node){.caller = caller, .frame = frame, .is_cut = is_cut};
    hash_index_add(&tree->nodes, hash, place);
    return place;
}

static bool count_at(struct stack_tree *tree, uint32_t node, const struct sample_count *count, size_t most)
{
    struct array *counts = &tree->recording->counts;
    uint64_t hash = hash_mix(hash_mix(hash_mix(4, count->event), count->thread), node);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&tree->counts, hash, &slot)) != UINT32_MAX;) {
        struct sample_count *sum = ARRAY_AT(struct sample_count, counts, place);
        if (sum->node == node && sum->thread == count->thread && sum->event == count->event) {
            sum->samples += count->samples;
            sum->amount += count->amount;
            return true;
        }
    }
    if (counts->count >= most)
        return false;
    hash_index_add(&tree->counts, hash, (uint32_t)counts->count);
    struct sample_count *sum = array_add(counts);
    *sum = *count;
    sum->node = node;
    return true;
}

void stack_tree_count(struct stack_tree *tree, const uint32_t *frames, size_t frame_count, bool is_cut,
                      const struct sample_count *count)
{
    uint32_t node = NO_NODE;
    size_t most = tree->most_nodes;
    for (size_t i = frame_count; i-- > 0;) {
        bool is_outermost = i + 1 == frame_count;
        node = frames[i] == NO_FRAME ? NO_NODE : node_of(tree, node, frames[i], is_cut && is_outermost, most);
        if (!node)
            break;
    }
    if (node && count_at(tree, node, count, 4 * most))
        return;
    tree->recording->summarised++;
    node = frame_count && frames[0] ? node_of(tree, NO_NODE, frames[0], true, 2 * most) : NO_NODE;
    if (!count_at(tree, node, count, 8 * most))
        count_at(tree, NO_NODE, count, SIZE_MAX);
}
