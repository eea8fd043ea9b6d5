/* Copies of instructions that met denormals, to run them without a single step.

   A single step costs a second signal, and in virtual machines more than that.  Instead the handler lets the
   program go on in a stub made for that instruction:

       the instruction itself, a copy     with the exception masked, as the handler left MXCSR
       stmxcsr THREAD.after               the flags that it raised, which the program is shown later
       ldmxcsr THREAD.armed               MXCSR as it was, with the exception unmasked
       jmp after the instruction

   Nothing of this changes registers, flags or the stack.  The words of the thread are addressed through the
   segment register that its thread-local storage hangs on, at the same offset in all threads.

   An operand that is addressed relative to the instruction needs a stub that lies near.  What cannot be
   copied is stepped as before: instructions that the decoder does not know, those too far from any free
   memory, systems that forbid memory to be written and executed.  Code may be replaced (libraries unloaded,
   compilers at run time), so the bytes are compared each time. */
#include "profile.h"

#include "decode.h"

#include <sys/mman.h>

enum {
    STUB_BYTES = 64,
    POOL_BYTES = 256 << 10,
    MOST_POOLS = 16,
    STUB_CAPACITY = 8192,
    MOST_PROBES = 32,
    FAR = 0x60000000, /* of the two gigabytes that an offset reaches, with room for the module's data */
    STRIDE = 16 << 20,
    TRIES = 80,
    MOST_FAILURES = 8
};

struct stub {
    uintptr_t address; /* of the instruction; claimed atomically */
    uintptr_t place;   /* of the copy; 0: not made (yet), or it cannot be */
    uint8_t length;
    uint8_t bytes[PROFILE_MOST_LENGTH];
};
static struct stub stubs[STUB_CAPACITY];

static struct pool {
    uintptr_t start;
    uint32_t used;
} pools[MOST_POOLS];
static uint32_t pool_count;
static uint32_t failures;
static bool is_making;

static bool is_near(uintptr_t from, uintptr_t to)
{
    return sizeof(void *) == 4 || (from > to ? from - to : to - from) < FAR;
}

static struct pool *find_pool(uintptr_t address)
{
    for (uint32_t i = 0; i < pool_count; i++)
        if (is_near(pools[i].start, address) && pools[i].used + STUB_BYTES <= POOL_BYTES)
            return &pools[i];
    if (pool_count == MOST_POOLS || failures == MOST_FAILURES)
        return NULL;
    /* Below the code first; else above it, as far away as is near enough: the heap may grow there. */
    uintptr_t below = address & ~(uintptr_t)(STRIDE - 1), above = below + (FAR & ~(STRIDE - 1)) - STRIDE;
    for (unsigned i = 1; i <= TRIES; i++) {
        uintptr_t offset = (uintptr_t)i * STRIDE;
        uintptr_t hint = below > offset ? below - offset : above - offset;
        void *memory = mmap((void *)hint, POOL_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        if (is_near((uintptr_t)memory, address)) {
            pools[pool_count].start = (uintptr_t)memory;
            pools[pool_count].used = 0;
            __atomic_store_n(&pool_count, pool_count + 1, __ATOMIC_RELEASE);
            return &pools[pool_count - 1];
        }
        munmap(memory, POOL_BYTES);
    }
    failures++;
    return NULL;
}

static uint8_t *put_bytes(uint8_t *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

/* stmxcsr (group 3) or ldmxcsr (2) of a word of the thread. */
static uint8_t *put_mxcsr(uint8_t *to, unsigned group, const uint32_t *word)
{
    uintptr_t base;
#ifdef __x86_64__
    __asm__("mov %%fs:0, %0" : "=r"(base));
    const uint8_t opcode[] = {0x64, 0x0f, 0xae, (uint8_t)(group << 3 | 4), 0x25};
#else
    __asm__("mov %%gs:0, %0" : "=r"(base));
    const uint8_t opcode[] = {0x65, 0x0f, 0xae, (uint8_t)(group << 3 | 5)};
#endif
    int32_t offset = (int32_t)((intptr_t)word - (intptr_t)base);
    to = put_bytes(to, opcode, sizeof opcode);
    return put_bytes(to, &offset, sizeof offset);
}

static void put_jump(uint8_t *to, uintptr_t target)
{
#ifdef __x86_64__
    static const uint8_t opcode[] = {0xff, 0x25, 0, 0, 0, 0}; /* to the address after it */
    to = put_bytes(to, opcode, sizeof opcode);
    put_bytes(to, &target, sizeof target);
#else
    uint32_t offset = (uint32_t)(target - ((uintptr_t)to + 5));
    *to++ = 0xe9;
    put_bytes(to, &offset, sizeof offset);
#endif
}

/* Where the four bytes of the displacement lie in the instruction: at its end, or before one byte more.  0:
   that is not certain. */
static unsigned find_displacement(const struct stub *stub, int32_t displacement)
{
    bool at_end = memcmp(stub->bytes + stub->length - 4, &displacement, 4) == 0;
    bool before_byte = memcmp(stub->bytes + stub->length - 5, &displacement, 4) == 0;
    return at_end == before_byte ? 0 : at_end ? stub->length - 4u : stub->length - 5u;
}

static bool copy_instruction(const struct stub *stub, const struct profile_instruction *instruction, uint8_t *to)
{
    memcpy(to, stub->bytes, stub->length);
    if (!instruction->has_memory || instruction->base != PROFILE_INSTRUCTION_POINTER)
        return true;
    unsigned at = instruction->address_bits == 64 && stub->length > 6
                      ? find_displacement(stub, instruction->displacement)
                      : 0;
    int64_t moved = (int64_t)instruction->displacement + (int64_t)(stub->address - (uintptr_t)to);
    int32_t displacement = (int32_t)moved;
    if (at == 0 || displacement != moved)
        return false;
    memcpy(to + at, &displacement, sizeof displacement);
    return true;
}

static void make_stub(struct stub *stub)
{
    struct profile_instruction instruction;
    size_t size = memory_read(stub->address, stub->bytes, sizeof stub->bytes);
    if (!profile_decode(stub->bytes, size, sizeof(void *) == 8, &instruction) || instruction.is_x87)
        return;
    stub->length = instruction.length;
    struct pool *pool = find_pool(stub->address);
    if (!pool)
        return;
    uint8_t *place = (uint8_t *)pool->start + pool->used, *to = place;
    if (!copy_instruction(stub, &instruction, to))
        return;
    to = put_mxcsr(to + stub->length, 3, &profile_thread.after);
    to = put_mxcsr(to, 2, &profile_thread.armed);
    put_jump(to, stub->address + stub->length);
    pool->used += STUB_BYTES;
    __atomic_store_n(&stub->place, (uintptr_t)place, __ATOMIC_RELEASE);
}

static struct stub *find_stub(uintptr_t address)
{
    uint32_t place = (uint32_t)(((uint64_t)address * 0x9e3779b97f4a7c15u) >> 40);
    for (unsigned i = 0; i < MOST_PROBES; i++) {
        struct stub *stub = &stubs[(place + i) % STUB_CAPACITY];
        uintptr_t found = __atomic_load_n(&stub->address, __ATOMIC_RELAXED);
        if (found == address)
            return stub;
        if (found != 0)
            continue;
        /* Only one thread makes stubs at a time; the others step meanwhile. */
        if (__atomic_test_and_set(&is_making, __ATOMIC_ACQUIRE))
            return NULL;
        if (stub->address == 0) {
            stub->address = address;
            make_stub(stub);
        }
        __atomic_clear(&is_making, __ATOMIC_RELEASE);
        return stub->address == address ? stub : NULL;
    }
    return NULL;
}

uintptr_t stub_of(uintptr_t address)
{
    const struct stub *stub = find_stub(address);
    uintptr_t place = stub ? __atomic_load_n(&stub->place, __ATOMIC_ACQUIRE) : 0;
    if (!place || memcmp(stub->bytes, (const void *)address, stub->length) != 0)
        return 0;
    return place;
}

bool stub_holds(uintptr_t ip)
{
    uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (ip - pools[i].start < POOL_BYTES)
            return true;
    return false;
}
