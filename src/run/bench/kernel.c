#include "run/bench/kernel.h"

#include <stdio.h>
#include <string.h>

enum {
    KERNEL_SECONDS = 20,
    MOST_BYTES = 32 << 10,
    /* Registers and memory hold addresses, so that what is loaded is one, too (as in BHive's harness).  Those
       in registers are far apart, and start at different lines of their pages. */
    POINTER = 0x10000000,
    APART = 0x1000240,
    FEW_TRIPS = 200,
    MANY_TRIPS = 1000,
    UNROLLED_BYTES = 4096,
    MOST_COPIES = 100,
};

struct piece {
    size_t offset, size;
    struct bench_instruction instruction;
};

/* A general register that no instruction names; the usual counter if it can be. */
static unsigned choose_counter(enum isa isa, const struct array *pieces)
{
    bool is_used[32] = {0};
    for (size_t i = 0; i < pieces->count; i++) {
        const struct bench_instruction *instruction = &ARRAY_AT(struct piece, pieces, i)->instruction;
        for (unsigned s = 0; s < instruction->slot_count; s++)
            if (instruction->slots[s].domain == domain_GENERAL)
                is_used[instruction->slots[s].number] = true;
    }
    unsigned usual = bench_counter(isa);
    for (unsigned turn = 0; turn <= usual; turn++) {
        unsigned number = usual - turn;
        bool is_special = isa == isa_X86_64 ? number == 4 : number == 18;
        if (!is_used[number] && !is_special)
            return number;
    }
    return NO_REGISTER;
}

static bool is_comparison(const struct bench_instruction *instruction)
{
    bool writes_flags = false;
    for (unsigned i = 0; i < instruction->slot_count; i++) {
        if (instruction->slots[i].role == role_FLAGS)
            writes_flags = instruction->slots[i].writes;
        else if (instruction->slots[i].writes)
            return false;
    }
    return writes_flags && !instruction->description.encoding.store_bytes;
}

static bool reads_flags(const struct bench_instruction *instruction)
{
    unsigned flags = bench_slot_named(instruction, "f");
    return flags != NO_SLOT && instruction->slots[flags].reads;
}

/* Instructions at the end that the counter stands for. */
static unsigned count_removed(const struct array *pieces)
{
    unsigned count = 1;
    if (pieces->count < 2 || !reads_flags(&ARRAY_AT(struct piece, pieces, pieces->count - 1)->instruction) ||
        !is_comparison(&ARRAY_AT(struct piece, pieces, pieces->count - 2)->instruction))
        return count;
    for (size_t i = 0; i + 1 < pieces->count; i++)
        if (reads_flags(&ARRAY_AT(struct piece, pieces, i)->instruction))
            return count;
    return count + 1;
}

static bool refuse(struct error *error, const struct piece *piece, const char *why)
{
    return error_set(error, NULL, "offset 0x%zx: `%s` %s", piece->offset, piece->instruction.description.text,
                     why);
}

static bool read_pieces(struct bench_kernel *kernel, const uint8_t *bytes, size_t size, struct array *pieces,
                        struct error *error)
{
    const struct isa_reader *reader = isa_reader(kernel->isa);
    for (size_t at = 0; at < size;) {
        struct step step;
        struct piece *piece = array_push(pieces);
        *piece = (struct piece){.offset = at};
        if (!reader->step(bytes + at, size - at, at, &step) ||
            !bench_instruction_read(&piece->instruction, kernel->isa, bytes + at, step.key.size))
            return error_set(error, NULL, "offset 0x%zx: not an instruction", at);
        piece->size = step.key.size;
        at += step.key.size;
        unsigned flow = piece->instruction.description.encoding.flow;
        bool is_last = at == size;
        if (is_last && step.target == 0 && (flow == flow_BRANCH || flow == flow_JUMP))
            kernel->is_loop = true;
        else if (flow != flow_NEXT)
            return refuse(
                error, piece,
                "changes the flow of control: only the last instruction may, by a branch to the first");
        else if (step.target != NO_ADDRESS)
            return refuse(error, piece, "names a place relative to itself, which does not exist here");
    }
    return true;
}

bool bench_kernel_read(struct bench_kernel *kernel, enum isa isa, const uint8_t *bytes, size_t size,
                       struct error *error)
{
    struct array pieces = ARRAY_OF(struct piece);
    *kernel = (struct bench_kernel){.isa = isa, .code = ARRAY_OF(uint8_t), .vector_bytes = 16};
    bool done = size <= MOST_BYTES || error_set(error, NULL, "the block is larger than 32 KB");
    done = done && read_pieces(kernel, bytes, size, &pieces, error);
    if (done) {
        kernel->removed = kernel->is_loop ? count_removed(&pieces) : 0;
        size_t end = pieces.count - kernel->removed;
        for (size_t i = 0; i < end; i++) {
            const struct piece *piece = ARRAY_AT(struct piece, &pieces, i);
            const struct encoding *encoding = &piece->instruction.description.encoding;
            memcpy(array_push_many(&kernel->code, piece->size), bytes + piece->offset, piece->size);
            if (encoding->is_avx && kernel->vector_bytes < 32)
                kernel->vector_bytes = 32;
            if (encoding->vector_bits > 256)
                kernel->vector_bytes = 64;
        }
        pieces.count = end;
        kernel->counter = choose_counter(isa, &pieces);
        if (!kernel->code.count)
            done = error_set(error, NULL, "the block has no instruction besides its branch");
        else if (kernel->counter == NO_REGISTER)
            done = error_set(error, NULL,
                             "the block uses every general register: none is left to count iterations");
    }
    array_free(&pieces);
    return done;
}

void bench_kernel_free(struct bench_kernel *kernel)
{
    array_free(&kernel->code);
}

static int note(void *context, size_t test, const struct bench_result *result)
{
    (void)test;
    *(struct bench_result *)context = *result;
    return 1;
}

bool bench_kernel_measure(const struct bench_kernel *kernel, const struct array *events,
                          struct bench_result *result, struct error *error)
{
    struct bench_value values[BENCH_GENERAL];
    for (unsigned i = 0; i < BENCH_GENERAL; i++)
        values[i] = (struct bench_value){.number = (uint8_t)i, .value = POINTER + (uint64_t)i * APART};
    struct bench_test test = {.name = "kernel",
                              .unit = kernel->code.data,
                              .unit_size = (uint32_t)kernel->code.count,
                              .counter = (uint8_t)kernel->counter,
                              .vector_bytes = (uint8_t)kernel->vector_bytes,
                              .layout = bench_ON_DEMAND,
                              .general = POINTER,
                              .vector = 0x3f8000003f800000,
                              .memory = POINTER,
                              .values = values,
                              .value_count = BENCH_GENERAL,
                              .is_counted = 1};
    if (kernel->is_loop) {
        test.copies[0] = test.copies[1] = 1;
        test.trips[0] = FEW_TRIPS;
        test.trips[1] = MANY_TRIPS;
    } else {
        size_t copies = UNROLLED_BYTES / kernel->code.count;
        test.copies[0] = copies > MOST_COPIES ? MOST_COPIES : copies < 4 ? 4 : (uint32_t)copies;
        test.copies[1] = 2 * test.copies[0];
        test.trips[0] = test.trips[1] = 1;
    }
    struct bench_batch batch = {&test, 1, events->data, events->count, KERNEL_SECONDS};
    int failed = bench_run(&batch, note, result);
    return !failed || error_set(error, NULL, "cannot measure: %s", strerror(failed));
}
