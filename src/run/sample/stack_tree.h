/* The stacks of a recording as they are counted: frames, nodes and counts, each once.

   Memory is bounded.  With `most_nodes` nodes or frames, or four times as many counts, a new stack is counted
   at its own frame, without callers; with twice as many, at node 0.  A program that makes up return addresses
   has new frames in every sample. */
#ifndef RUN_SAMPLE_STACK_TREE_H
#define RUN_SAMPLE_STACK_TREE_H
#include "base/hash_index.h"
#include "run/sample/recording.h"

struct stack_tree {
    struct sample_recording *recording;
    size_t most_nodes;
    struct hash_index frames, nodes, counts;
};
void stack_tree_begin(struct stack_tree *tree, struct sample_recording *recording, size_t most_nodes);
void stack_tree_end(struct stack_tree *tree);
/* 0: there is no room for more.  is_leaf: the sample's own frame, which has room where callers have none. */
uint32_t stack_tree_frame(struct stack_tree *tree, uint32_t file, uint64_t address, bool is_leaf);

/* What is counted: thread, event, samples and amount; the node is found. */
void stack_tree_count(struct stack_tree *tree, const uint32_t *frames, size_t frame_count, bool is_cut,
                      const struct sample_count *count);
#endif
