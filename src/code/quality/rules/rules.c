/* The list of rules, and how a remark is built. */
#include "code/quality/rules/rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct rule *const quality_rules[] = {
#define RULE(name) &rule_##name,
#include "code/quality/rules/rules.def"
#undef RULE
    NULL};
const unsigned quality_rule_count = sizeof quality_rules / sizeof *quality_rules - 1;

void remark_say(struct remark *remark, const char *format, ...)
{
    size_t length = strlen(remark->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(remark->text + length, sizeof remark->text - length, format, arguments);
    va_end(arguments);
}

void remark_point(struct remark *remark, unsigned item)
{
    size_t at = remark->evidence.count;
    uint32_t *items = remark->evidence.data;
    while (at && items[at - 1] > item)
        at--;
    if (at && items[at - 1] == item)
        return;
    array_push(&remark->evidence);
    items = remark->evidence.data;
    memmove(items + at + 1, items + at, (remark->evidence.count - 1 - at) * sizeof *items);
    items[at] = item;
}

void remark_advise(struct remark *remark, const struct remedy *remedy)
{
    if (remark->more_count < MOST_REMEDIES)
        remark->more[remark->more_count++] = remedy;
}

void remark_advise_later(struct remark *remark, const struct remedy *remedy)
{
    if (remark->then_count < MOST_REMEDIES)
        remark->then[remark->then_count++] = remedy;
}

const char *remark_count(char *buffer, size_t size, unsigned count, const char *one, const char *many)
{
    snprintf(buffer, size, "%u %s", count, count == 1 ? one : many);
    return buffer;
}
