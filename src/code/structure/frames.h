/* The stack frame of a function, as far as the search for jump tables needs it. */
#ifndef CODE_STRUCTURE_FRAMES_H
#define CODE_STRUCTURE_FRAMES_H
#include "code/structure/backward.h"

/* The lowest address of the frame that some instruction computes, from each register that frames are
   addressed by: code that gets it may write there and above. */
struct frame {
    bool is_known;
    struct frame_base {
        uint32_t full;  /* row of the register; 0: it does not address the frame */
        int64_t lowest; /* INT64_MAX: no address is computed from it */
    } stack, pointer;
};

/* Whether the place at this distance from the register is in the frame and private to this function. */
bool frame_keeps(const struct backward *backward, uint32_t full, int64_t displacement);
/* Whether, on some path to the entry, the last change of the stack pointer made room: a tail call restores it
   first. */
bool frame_is_set_up(struct backward *backward, uint32_t entry);
#endif
