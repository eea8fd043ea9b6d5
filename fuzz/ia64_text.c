/* Lines of text as IA-64 instructions, as the reader of listings asks for them. */
#include "fuzz/harness.h"

#include "code/read/ia64/ia64.h"

#include <stdlib.h>
#include <string.h>

static void check_register(unsigned number)
{
    if (number >= ia64_register_count)
        harness_wrong("a register that the list does not have", "describe");
}

static void check_facts(const struct ia64_facts *facts, size_t length)
{
    if (!memchr(facts->complaint, 0, sizeof facts->complaint))
        harness_wrong("a complaint without an end", "describe");
    if (facts->complaint[0] && (size_t)facts->complaint_start + facts->complaint_length > length + 1)
        harness_wrong("a complaint outside of the text", facts->complaint);
    if ((size_t)facts->target_start + facts->target_length > length)
        harness_wrong("a target outside of the text", "describe");
    if (facts->is_unknown && !facts->complaint[0])
        harness_wrong("an unknown instruction without a complaint", "describe");
}

static void check_description(const struct description *description, const struct ia64_facts *facts)
{
    if (description->operand_count > MOST_OPERANDS || description->use_count > MOST_REGISTER_USES)
        harness_wrong("more operands or registers than fit", description->name);
    if (!memchr(description->name, 0, sizeof description->name) ||
        !memchr(description->completers, 0, sizeof description->completers) ||
        !memchr(description->text, 0, sizeof description->text))
        harness_wrong("a text without an end", "describe");
    if (!facts->complaint[0] && (!description->name[0] || !description->encoding.slot))
        harness_wrong("a good instruction without a name or a slot", description->text);
    check_register(description->encoding.predicate);
    for (unsigned i = 0; i < description->operand_count; i++) {
        check_register(description->operands[i].register_);
        check_register(description->operands[i].base_register);
        check_register(description->operands[i].index_register);
    }
    for (unsigned i = 0; i < description->use_count; i++) {
        check_register(description->uses[i].register_);
        if (!description->uses[i].register_ ||
            (i && description->uses[i].register_ <= description->uses[i - 1].register_))
            harness_wrong("uses of registers out of order", description->text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = harness_text(data, size), *rest = text, *line;
    while ((line = strsep(&rest, "\n"))) {
        struct description description;
        struct ia64_facts facts;
        ia64_describe(line, &description, &facts);
        check_facts(&facts, strlen(line));
        check_description(&description, &facts);
    }
    free(text);
    return 0;
}
