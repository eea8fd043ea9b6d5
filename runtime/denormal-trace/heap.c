/* Replaces malloc and related functions, so that every block is known with its place of allocation. */
#include "arrays.h"
#include "tags.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_tooliface.h"

static void *allocate(ThreadId thread, SizeT bytes, SizeT alignment, Bool is_zeroed)
{
    if ((SSizeT)bytes < 0)
        return NULL;
    void *memory = VG_(cli_malloc)(alignment, bytes);
    if (!memory)
        return NULL;
    if (is_zeroed)
        VG_(memset)(memory, 0, bytes);
    struct block *block = VG_(OSetGen_AllocNode)(blocks, sizeof *block);
    *block = (struct block){.start = (Addr)memory, .bytes = bytes, .stack = stack_here(thread)};
    block->data_start = block->start;
    VG_(OSetGen_Insert)(blocks, block);
    if (list.data_count) /* else no block will ever be known to hold floating-point numbers */
        arrays_mark_pages(block->start, bytes);
    return memory;
}

/* What a block held is nothing to the next one in its place, though the bits may still be there.  Whole pages
   go at once, the rest word by word where something happened in the block. */
static void forget_tags(const struct block *block)
{
    const Addr page = (Addr)1 << PAGE_BITS;
    Addr end = block->start + block->bytes, middle = (block->start + page - 1) & ~(page - 1);
    shadow_clear(block->start, block->bytes);
    if (!block->array && !block->parts)
        return;
    for (Addr at = block->start; at + sizeof(UInt) <= end;) {
        Bool is_rest = at < middle || at >= (end & ~(page - 1));
        if (!is_rest || !(pages_of_interest[(at >> PAGE_BITS) & (PAGE_ENTRIES - 1)] & PAGE_HAS_TAGS)) {
            at = (at & ~(page - 1)) + page;
            continue;
        }
        if (shadow_tag(at, *(const UInt *)at))
            shadow_set(at, 0, 0);
        at += sizeof(UInt);
    }
}

static void release(void *memory)
{
    Addr start = (Addr)memory;
    struct block *block = memory ? block_at(start) : NULL;
    if (!block || block->start != start)
        return;
    if (block->array && !array_of(block->array)->data)
        block_search_name(block, start);
    forget_tags(block);
    block_settle(block);
    block_end_life(block->array);
    while (block->parts) {
        struct part *part = block->parts;
        block->parts = part->next;
        block_end_life(part->array);
        VG_(free)(part);
    }
    arrays_forget_answers();
    VG_(OSetGen_Remove)(blocks, &start);
    VG_(OSetGen_FreeNode)(blocks, block);
    VG_(cli_free)(memory);
}

static void *tool_malloc(ThreadId thread, SizeT bytes)
{
    return allocate(thread, bytes, VG_(clo_alignment), False);
}

/* Since version 3.22 Valgrind says also which alignment the program asked for, before rounding (the build finds out which it is). */
#ifdef VALGRIND_TELLS_WISHES
#define WISH , SizeT wish
#define IGNORE_WISH ((void)wish)
#else
#define WISH
#define IGNORE_WISH ((void)0)
#endif

static void *tool_aligned_new(ThreadId thread, SizeT bytes, SizeT alignment WISH)
{
    IGNORE_WISH;
    return allocate(thread, bytes, alignment, False);
}

static void *tool_memalign(ThreadId thread, SizeT alignment WISH, SizeT bytes)
{
    IGNORE_WISH;
    return allocate(thread, bytes, alignment, False);
}

static void *tool_calloc(ThreadId thread, SizeT count, SizeT bytes)
{
    if (bytes && count > (~(SizeT)0 >> 1) / bytes)
        return NULL;
    return allocate(thread, count * bytes, VG_(clo_alignment), True);
}

static void tool_free(ThreadId thread, void *memory)
{
    (void)thread;
    release(memory);
}

static void tool_aligned_delete(ThreadId thread, void *memory, SizeT alignment)
{
    (void)thread;
    (void)alignment;
    release(memory);
}

static void *tool_realloc(ThreadId thread, void *memory, SizeT bytes)
{
    struct block *block = memory ? block_at((Addr)memory) : NULL;
    if (!memory)
        return tool_malloc(thread, bytes);
    if (!block || block->start != (Addr)memory)
        return NULL;
    if (bytes == 0) {
        release(memory);
        return NULL;
    }
    SizeT kept = block->bytes < bytes ? block->bytes : bytes;
    void *moved = tool_malloc(thread, bytes);
    if (!moved)
        return NULL;
    VG_(memcpy)(moved, memory, kept);
    shadow_copy((Addr)memory, (Addr)moved, kept);
    release(memory);
    return moved;
}

static SizeT tool_usable_size(ThreadId thread, void *memory)
{
    (void)thread;
    struct block *block = memory ? block_at((Addr)memory) : NULL;
    return block && block->start == (Addr)memory ? block->bytes : 0;
}

void arrays_initialise(void)
{
    blocks_initialise();
    VG_(needs_malloc_replacement)
    (tool_malloc, tool_malloc, tool_aligned_new, tool_malloc, tool_aligned_new, tool_memalign, tool_calloc,
     tool_free, tool_free, tool_aligned_delete, tool_free, tool_aligned_delete, tool_realloc,
     tool_usable_size, 0);
    fixed_initialise();
}
