/* Raw bytes as code of one instruction set (READER): step and describe, as code/structure/ calls them. */
#include "fuzz/harness.h"

#include "code/read/isa.h"

#include <string.h>

extern const struct isa_reader READER;

static void check_register(unsigned number)
{
    if (number >= READER.register_count)
        harness_wrong("a register that the list does not have", "describe");
}

static void check_description(const struct description *description)
{
    if (description->operand_count > MOST_OPERANDS || description->use_count > MOST_REGISTER_USES)
        harness_wrong("more operands or registers than fit", description->name);
    if (!memchr(description->name, 0, sizeof description->name) ||
        !memchr(description->text, 0, sizeof description->text))
        harness_wrong("a text without an end", "describe");
    if (description->is_undefined)
        return;
    if (!description->name[0])
        harness_wrong("an instruction without a name", description->text);
    for (unsigned i = 0; i < description->operand_count; i++) {
        check_register(description->operands[i].register_);
        check_register(description->operands[i].base_register);
        check_register(description->operands[i].index_register);
    }
    for (unsigned i = 0; i < description->use_count; i++) {
        check_register(description->uses[i].register_);
        if (!description->uses[i].register_)
            harness_wrong("a use of no register", description->text);
        if (i && description->uses[i].register_ <= description->uses[i - 1].register_)
            harness_wrong("uses of registers out of order", description->text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t address = 0x400000;
    while (size) {
        struct step step = {0};
        size_t length = READER.alignment;
        if (READER.step(data, size, address, &step)) {
            struct description description = {0};
            if (!step.key.size || step.key.size > size)
                harness_wrong("an instruction longer than the bytes", "step");
            READER.describe(&READER, &step.key, &description);
            check_description(&description);
            length = step.key.size;
        }
        length = length < size ? length : size;
        data += length;
        size -= length;
        address += length;
    }
    return 0;
}
