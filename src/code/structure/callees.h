/* Which function a call or a jump out of a function reaches. */
#ifndef CODE_STRUCTURE_CALLEES_H
#define CODE_STRUCTURE_CALLEES_H
#include "code/structure/layout.h"

struct callee {
    struct piece *piece; /* in this program, or NULL */
    string_id import;    /* name of a function of another file, or 0 */
    bool is_import;      /* reached through a linkage stub, a slot or a relocation */
};

/* For the call or jump at this entry of the piece.  Both members are empty if unknown. */
struct callee callee_of(const struct layout *layout, const struct piece *piece, uint32_t index);
/* The function whose address the dynamic linker puts into this place. */
struct callee callee_in_slot(const struct layout *layout, uint64_t slot);
/* Whether a call there returns; true if unknown. */
bool callee_returns(const struct layout *layout, const struct callee *callee);
/* gcc and clang move what is rarely run into a second function, f.cold: a jump there is not a call. */
bool callee_is_part_of(const struct layout *layout, const struct piece *piece, const struct piece *other);
/* A name without its version or @plt; it is not terminated. */
struct callee_name {
    const char *text;
    size_t length;
};
/* Adds the name of the function that a stub or an import stands for; nothing for other callees. */
void callees_note_meant(const struct layout *layout, const struct callee *callee, struct array *names);
/* Adds the numbers, of uint32_t, of the pieces with these names (which are sorted) that others can see. */
void callees_find_meant(const struct layout *layout, struct array *names, struct array *numbers);
/* Whether a library function of this name never returns. */
bool callee_is_known_not_to_return(const char *name);
#endif
