/* One function again, for who asks more of data flow than the tables say: its graph, its frame, and its
   redundant stack accesses.  Nothing is added to the model. */
#ifndef CODE_FLOW_FUNCTION_H
#define CODE_FLOW_FUNCTION_H
#include "code/flow/frame.h"

struct flow_function {
    struct flow_graph graph;
    struct frame frame;
    struct array useless; /* of struct useless_access */
    bool returns_twice;   /* it calls setjmp, vfork or their like */
};

/* false if the function is too large or has no code: nothing is known then. */
bool flow_function_make(struct flow_function *function, const struct model *model,
                        const struct flow_meanings *meanings, uint32_t row);
void flow_function_free(struct flow_function *function);
#endif
