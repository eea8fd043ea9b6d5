/* A small codelet for the unit test and for the fuzzer. */
#ifndef TESTS_UNIT_CODELET_EXAMPLE_H
#define TESTS_UNIT_CODELET_EXAMPLE_H
#include "change/optimise/replay/draft.h"

#include <stdlib.h>

static inline void example_is(bool is_done)
{
    if (!is_done)
        abort();
}

/* A sound codelet with a little of everything. */
static inline void make(struct draft *draft)
{
    struct error error = {0};
    example_is(draft_begin(draft, "/tmp/unit.codelet", &error));
    uint64_t page = draft->header.page_size;
    *(struct codelet_region *)array_push(&draft->regions) =
        (struct codelet_region){.start = 100 * page,
                                .end = 110 * page,
                                .kind = codelet_ANONYMOUS,
                                .rights = codelet_READ | codelet_WRITE};
    *(struct codelet_region *)array_push(&draft->regions) =
        (struct codelet_region){.start = 200 * page, .end = 202 * page, .kind = codelet_STACK, .rights = 3};
    *(struct codelet_module *)array_push(&draft->modules) =
        (struct codelet_module){.start = 100 * page, .end = 110 * page, .name = draft_name(draft, "/bin/x")};
    *(struct codelet_symbol *)array_push(&draft->symbols) =
        (struct codelet_symbol){.address = 100 * page, .size = 8, .name = draft_name(draft, "a")};
    *(struct codelet_symbol *)array_push(&draft->symbols) =
        (struct codelet_symbol){.address = 101 * page,
                                .size = 8,
                                .name = draft_name(draft, "b"),
                                .kind = codelet_DATA,
                                .is_local = 1};
    *(struct codelet_object *)array_push(&draft->objects) = (struct codelet_object){
        .address = 101 * page, .size = 8, .name = draft_name(draft, "b"), .kind = codelet_DOUBLE, .bytes = 8};
    char *pages = memory_get(2 * page);
    pages[5] = 1;
    draft->is_apart = true;
    example_is(draft_add_pages(draft, 100 * page, pages, 2 * page, &error)); /* the second is zero */
    draft_add_dropped(draft, 105 * page, page);
    free(pages);
    draft->header.isa = codelet_AARCH64;
    draft->header.room = 0x10000000;
    draft->header.room_size = 4 << 20;
    draft->header.stack_start = 200 * page;
    draft->header.stack_pointer = 201 * page;
    draft->header.function = draft_name(draft, "a");
    example_is(draft_finish(draft, &error));
}
#endif
