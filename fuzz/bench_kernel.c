/* Bytes as a block for assay bench, of x86-64 or AArch64 by the first byte: what is accepted is never longer
   than what was given, and its counter is a register that the block does not name.  Instructions with other
   registers are what they were asked to be, or refused. */
#include "fuzz/harness.h"

#include "run/bench/kernel.h"

#include <string.h>

static void renumber(enum isa isa, const uint8_t *bytes, size_t size, uint8_t number)
{
    struct bench_instruction from, to;
    struct step step;
    uint8_t numbers[MOST_SLOTS];
    memset(numbers, number % 32, sizeof numbers);
    if (!isa_reader(isa)->step(bytes, size, 0, &step) ||
        !bench_instruction_read(&from, isa, bytes, step.key.size) ||
        !bench_instruction_renumber(&from, numbers, &to))
        return;
    if (strcmp(from.description.form, to.description.form))
        harness_wrong("another form", to.description.text);
    for (unsigned i = 0; i < to.slot_count; i++)
        if (!to.slots[i].is_fixed && to.slots[i].leader == NO_SLOT && to.slots[i].number != number % 32)
            harness_wrong("another register", to.description.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct bench_kernel kernel;
    if (size < 2)
        return 0;
    enum isa isa = data[0] & 1 ? isa_AARCH64 : isa_X86_64;
    if (bench_kernel_read(&kernel, isa, data + 1, size - 1, &error)) {
        if (!kernel.code.count || kernel.code.count > size - 1 || kernel.counter > 30)
            harness_wrong("a block that is not in its input", "block");
    } else if (!error.set) {
        harness_wrong("no reason", "block");
    }
    bench_kernel_free(&kernel);
    renumber(isa, data + 1, size - 1, data[0] >> 1);
    return 0;
}
