#include "script/judge_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(FILE *out, const void *bytes, size_t size)
{
    if (size)
        fwrite(bytes, 1, size, out);
}

static void put_number(FILE *out, size_t number)
{
    uint32_t small = (uint32_t)number;
    put(out, &small, sizeof small);
}

/* NULL is another text than "". */
static void put_text(FILE *out, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(out, text ? length + 1 : 0);
    put(out, text, length);
}

static void put_remark(FILE *out, const struct added_remark *remark)
{
    put_number(out, remark->loop);
    put_number(out, remark->path);
    put_number(out, remark->level);
    put_number(out, remark->is_upper);
    put(out, &remark->cycles, sizeof remark->cycles);
    put(out, &remark->gain, sizeof remark->gain);
    put_text(out, remark->text);
    put_number(out, remark->evidence.count);
    put(out, remark->evidence.data, remark->evidence.count * sizeof(uint32_t));
    put_number(out, remark->remedies.count);
    for (size_t i = 0; i < remark->remedies.count; i++) {
        const struct added_remedy *remedy = array_at(&remark->remedies, i);
        put_text(out, remedy->text);
        put_text(out, remedy->option);
    }
}

void judge_pack(FILE *out, const struct addition *found, const char *odd)
{
    put_text(out, odd);
    put_number(out, found->values.count);
    for (size_t i = 0; i < found->values.count; i++) {
        const struct added_value *value = array_at(&found->values, i);
        put_number(out, value->loop);
        put_number(out, value->path);
        put(out, &value->value, sizeof value->value);
    }
    put_number(out, found->remarks.count);
    for (size_t i = 0; i < found->remarks.count; i++)
        put_remark(out, array_at(&found->remarks, i));
}

struct reader {
    const char *at, *end;
    const struct model *model;
    size_t row; /* of loop_metrics: paths come in its order */
};

static bool take(struct reader *reader, void *place, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size)
        return false;
    memcpy(place, reader->at, size);
    reader->at += size;
    return true;
}

static bool take_number(struct reader *reader, uint32_t *number)
{
    return take(reader, number, sizeof *number);
}

static bool take_text(struct reader *reader, char **text)
{
    uint32_t size;
    if (!take_number(reader, &size) || size > JUDGE_MOST_TEXT + 1 ||
        (size && size - 1 > (size_t)(reader->end - reader->at)))
        return false;
    *text = size ? memory_copy_text(reader->at, strnlen(reader->at, size - 1)) : NULL;
    reader->at += size ? size - 1 : 0;
    return true;
}

static bool take_path(struct reader *reader, uint32_t *loop, uint32_t *path)
{
    const struct array *rows = &reader->model->loop_metrics;
    if (!take_number(reader, loop) || !take_number(reader, path))
        return false;
    for (; reader->row < rows->count; reader->row++) {
        const struct loop_metric *row = array_at(rows, reader->row);
        if (row->loop == *loop && row->path == *path)
            return true;
    }
    return false;
}

static bool is_estimate(double number)
{
    return isnan(number) || (number > 0 && isfinite(number));
}

static bool take_evidence(struct reader *reader, struct array *evidence)
{
    uint32_t count, last = 0;
    if (!take_number(reader, &count) || count > JUDGE_MOST_EVIDENCE)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id;
        if (!take_number(reader, &id) || id <= last || id >= reader->model->code.count)
            return false;
        *(uint32_t *)array_push(evidence) = last = id;
    }
    return true;
}

static bool take_remark(struct reader *reader, struct added_remark *remark)
{
    uint32_t level, is_upper, count;
    if (!take_path(reader, &remark->loop, &remark->path) || !take_number(reader, &level) ||
        level >= advice_level_COUNT || !take_number(reader, &is_upper) ||
        !take(reader, &remark->cycles, sizeof remark->cycles) ||
        !take(reader, &remark->gain, sizeof remark->gain) || !is_estimate(remark->cycles) ||
        !is_estimate(remark->gain) || !take_text(reader, &remark->text) || !remark->text ||
        !take_evidence(reader, &remark->evidence) || !take_number(reader, &count) ||
        count > JUDGE_MOST_REMEDIES)
        return false;
    remark->level = (enum advice_level)level;
    remark->is_upper = is_upper;
    while (count--) {
        struct added_remedy *remedy = array_add(&remark->remedies);
        if (!take_text(reader, &remedy->text) || !remedy->text || !take_text(reader, &remedy->option))
            return false;
    }
    return true;
}

bool judge_unpack(const char *bytes, size_t size, const struct model *model, struct addition *found,
                  char **odd)
{
    struct reader reader = {.at = bytes, .end = bytes + size, .model = model};
    uint32_t count;
    if (!take_text(&reader, odd) || !take_number(&reader, &count))
        return false;
    while (count--) {
        struct added_value value;
        if (!take_path(&reader, &value.loop, &value.path) ||
            !take(&reader, &value.value, sizeof value.value) || !isfinite(value.value))
            return false;
        *(struct added_value *)array_push(&found->values) = value;
    }
    if (!take_number(&reader, &count))
        return false;
    reader.row = 0;
    while (count--) {
        struct added_remark *remark = array_add(&found->remarks);
        *remark =
            (struct added_remark){.evidence = ARRAY_OF(uint32_t), .remedies = ARRAY_OF(struct added_remedy)};
        if (!take_remark(&reader, remark))
            return false;
    }
    return reader.at == reader.end;
}
