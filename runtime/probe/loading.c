/* dlopen: new files are patched before their constructors run.

   The dynamic linker calls an empty function, whose address is in _r_debug, for debuggers whenever its list
   of files is changing or has changed; new files are mapped then, and none of their code has run.  The first
   instruction of that function is patched to come here.  It is entered like any function, and all registers
   are kept.

   x86: the function is a return of one byte, maybe with endbr64 before it.  The jump also takes the bytes up
   to the next multiple of 16, if these are the no-ops that align the next function. */
#include "runtime/probe/probe.h"

enum { STUB_BYTES = 4096 };

static int patching;

/* Another thread may have been patching when this process was forked. */
void loading_forget(void)
{
    patching = 0;
}

/* Called by entries.S. */
__attribute__((used)) void probe_loaded(void)
{
    if (!recording || !file_is_ours())
        return;
    uint64_t mask = system_block_signals();
    lock_take(&patching);
    modules_patch();
    lock_give(&patching);
    system_restore_signals(mask);
}

#ifdef __aarch64__
static const uint32_t RETURN = 0xd65f03c0, LANDING = 0xd503245f;

static uint8_t *patched_place(uint8_t *function)
{
    uint32_t words[2];
    __builtin_memcpy(words, function, sizeof words);
    return words[0] == RETURN ? function : words[0] == LANDING && words[1] == RETURN ? function + 4 : NULL;
}

static void write_stub(uint8_t *stub)
{
    static const uint32_t code[] = {0x58000050, 0xd61f0200}; /* ldr x16, .+8; br x16 */
    uintptr_t entry = (uintptr_t)probe_entry_loaded;
    bytes_copy(stub, code, sizeof code);
    bytes_copy(stub + sizeof code, &entry, sizeof entry);
}

static void write_jump(uint8_t *at, const uint8_t *to)
{
    uint32_t jump = 0x14000000 | ((uint32_t)((to - at) >> 2) & 0x03ffffff);
    __builtin_memcpy(at, &jump, sizeof jump);
}
#else
enum { JUMP_BYTES = 5, RETURN = 0xc3 };

/* Whether the bytes from `at` to `end` are no-ops. */
static bool is_padding(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        const uint8_t *start = at;
        if (*at == 0x90 || *at == 0xcc) {
            at++;
            continue;
        }
        while (at < end && (*at == 0x66 || *at == 0x2e))
            at++;
        if (end - at >= 1 && *at == 0x90) {
            at++;
            continue;
        }
        if (end - at < 3 || at[0] != 0x0f || at[1] != 0x1f)
            return false;
        unsigned mode = at[2] >> 6, has_index = (at[2] & 7) == 4;
        at += 3 + (mode == 1 ? 1 : mode == 2 ? 4 : 0) + has_index;
        if (mode == 3 || at > end || at == start)
            return false;
    }
    return true;
}

static uint8_t *patched_place(uint8_t *function)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t *place = bytes_equal(function, landing, sizeof landing) ? function + sizeof landing : function;
    uint8_t *next = (uint8_t *)(((uintptr_t)place + 16) & ~(uintptr_t)15);
    return *place == RETURN && next - place >= JUMP_BYTES && is_padding(place + 1, next) ? place : NULL;
}

static void write_stub(uint8_t *stub)
{
    static const uint8_t code[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *(%rip) */
    uintptr_t entry = (uintptr_t)probe_entry_loaded;
    bytes_copy(stub, code, sizeof code);
    bytes_copy(stub + sizeof code, &entry, sizeof entry);
}

static void write_jump(uint8_t *at, const uint8_t *to)
{
    int32_t distance = (int32_t)(to - at - JUMP_BYTES);
    at[0] = 0xe9;
    __builtin_memcpy(at + 1, &distance, sizeof distance);
}
#endif

void loading_begin(void)
{
    uint8_t *place = (plan.header->modules.count || plan.has_nodes) && _r_debug.r_brk
                         ? patched_place((uint8_t *)_r_debug.r_brk)
                         : NULL;
    if (!place)
        return;
    struct maps maps = {0};
    maps_read(&maps);
    uint8_t *stub = maps_room(&maps, (uintptr_t)place, (uintptr_t)place + 16, page_bytes, PROBE_REACH);
    maps_free(&maps);
    uintptr_t page = (uintptr_t)place / page_bytes * page_bytes;
    if (!stub)
        return;
    write_stub(stub);
    __builtin___clear_cache((char *)stub, (char *)stub + STUB_BYTES);
    if (system_failed(system_protect((uintptr_t)stub, page_bytes, PROT_READ | PROT_EXEC)) ||
        (system_failed(system_protect(page, page_bytes, PROT_READ | PROT_WRITE | PROT_EXEC)) &&
         system_failed(system_protect(page, page_bytes, PROT_READ | PROT_WRITE))))
        return;
    write_jump(place, stub); /* within a multiple of 16, so within the page */
    system_protect(page, page_bytes, PROT_READ | PROT_EXEC);
    __builtin___clear_cache((char *)place, (char *)place + 16);
}
