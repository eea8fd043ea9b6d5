/* pprof: a message of Google's protocol buffers (profile.proto), packed by gzip. A stack has its locations from
   the leaf outwards, a location is a function here, and all texts stand in one table.

   Messages in messages begin with their length, so each is made in memory before it is put into the one around
   it. */
#include "show/report/profiles/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct message {
    struct array bytes; /* of uint8_t */
};

struct making {
    struct message whole;
    struct strings texts; /* the number of a text is its id: 0 is "" */
    uint32_t *mappings;   /* by frame */
};

static void put_number(struct message *message, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *(uint8_t *)array_push(&message->bytes) = (uint8_t)(value | 0x80);
    *(uint8_t *)array_push(&message->bytes) = (uint8_t)value;
}

enum { NUMBER = 0, BYTES = 2 }; /* kinds of fields */

static void put_field(struct message *message, unsigned field, uint64_t value)
{
    if (!value)
        return; /* what is left out is 0 */
    put_number(message, field << 3 | NUMBER);
    put_number(message, value);
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t size)
{
    put_number(message, field << 3 | BYTES);
    put_number(message, size);
    if (size)
        memcpy(array_push_many(&message->bytes, size), bytes, size);
}

static struct message begin(void)
{
    return (struct message){ARRAY_OF(uint8_t)};
}

static void put_message(struct message *message, unsigned field, struct message *inner)
{
    put_bytes(message, field, inner->bytes.data, inner->bytes.count);
    array_free(&inner->bytes);
}

static uint64_t text_number(struct making *making, const char *text)
{
    return text && *text ? strings_add(&making->texts, text) : 0;
}

static void put_type(struct making *making, unsigned field, const char *type, const char *unit)
{
    struct message inner = begin();
    put_field(&inner, 1, text_number(making, type));
    put_field(&inner, 2, text_number(making, unit));
    put_message(&making->whole, field, &inner);
}

static void put_samples(struct making *making, const struct profile *profile)
{
    for (size_t i = 1; i < profile->stacks.count; i++) {
        double self = ARRAY_AT(struct profile_stack, &profile->stacks, i)->self;
        struct message inner = begin(), locations = begin(), values = begin();
        for (uint32_t at = self > 0 ? (uint32_t)i : 0; at;
             at = ARRAY_AT(struct profile_stack, &profile->stacks, at)->caller)
            put_number(&locations, ARRAY_AT(struct profile_stack, &profile->stacks, at)->frame);
        if (profile->period > 0)
            put_number(&values, (uint64_t)llround(self / profile->period));
        else
            put_number(&values, 0);
        put_number(&values, (uint64_t)llround(self * 1e9));
        bool is_there = locations.bytes.count;
        put_message(&inner, 1, &locations);
        put_message(&inner, 2, &values);
        if (is_there)
            put_message(&making->whole, 2, &inner);
        array_free(&inner.bytes);
    }
}

/* Programs and libraries. Names of functions are known already: nobody needs to look for them there. */
static void put_mappings(struct making *making, const struct profile *profile)
{
    uint32_t count = 0;
    struct strings known = {0};
    for (uint32_t i = 1; i < profile->frames.count; i++) {
        const char *object = ARRAY_AT(struct profile_frame, &profile->frames, i)->object;
        if (!object)
            continue;
        making->mappings[i] = strings_add(&known, object);
        if (making->mappings[i] <= count)
            continue;
        struct message inner = begin();
        put_field(&inner, 1, ++count);
        put_field(&inner, 5, text_number(making, object));
        put_field(&inner, 7, 1);
        put_field(&inner, 8, 1);
        put_message(&making->whole, 3, &inner);
    }
    strings_free(&known);
}

static void put_functions(struct making *making, const struct profile *profile)
{
    for (uint32_t i = 1; i < profile->frames.count; i++) {
        const struct profile_frame *frame = ARRAY_AT(struct profile_frame, &profile->frames, i);
        struct message location = begin(), line = begin(), function = begin();
        put_field(&location, 1, i);
        put_field(&location, 2, making->mappings[i]);
        put_field(&line, 1, i);
        put_field(&line, 2, frame->line);
        put_message(&location, 4, &line);
        put_message(&making->whole, 4, &location);
        put_field(&function, 1, i);
        put_field(&function, 2, text_number(making, frame->name));
        put_field(&function, 3, text_number(making, frame->symbol));
        put_field(&function, 4, text_number(making, frame->file));
        put_field(&function, 5, frame->line);
        put_message(&making->whole, 5, &function);
    }
}

static void put_texts(struct making *making)
{
    put_bytes(&making->whole, 6, "", 0);
    for (size_t id = 1; id <= making->texts.entries.count; id++) {
        const char *text = strings_text(&making->texts, (string_id)id);
        if (text)
            put_bytes(&making->whole, 6, text, strlen(text));
    }
}

static bool pack(const struct message *message, FILE *out, struct error *error)
{
    enum { ANY_WINDOW = 15, GZIP_ALONE = 16, USUAL_MEMORY = 8, PIECE = 1 << 16 };
    autofree uint8_t *piece = memory_get(PIECE);
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, ANY_WINDOW + GZIP_ALONE, USUAL_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return error_set(error, NULL, "zlib cannot begin");
    const uint8_t *from = message->bytes.data;
    size_t left = message->bytes.count;
    int code = Z_OK;
    while (code != Z_STREAM_END) {
        if (!stream.avail_in && left) {
            stream.next_in = (uint8_t *)(uintptr_t)from;
            stream.avail_in = (uInt)(left < PIECE ? left : PIECE);
            from += stream.avail_in;
            left -= stream.avail_in;
        }
        stream.next_out = piece;
        stream.avail_out = PIECE;
        code = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
        fwrite(piece, 1, PIECE - stream.avail_out, out);
    }
    deflateEnd(&stream);
    return true;
}

bool profile_pprof(const struct profile *profile, FILE *out, struct error *error)
{
    struct making making = {.whole = begin(),
                            .mappings = memory_get((profile->frames.count + 1) * sizeof(uint32_t))};
    put_type(&making, 1, "samples", "count");
    put_type(&making, 1, "cpu", "nanoseconds");
    put_samples(&making, profile);
    put_mappings(&making, profile);
    put_functions(&making, profile);
    uint64_t comment = text_number(&making, profile->command);
    put_type(&making, 11, "cpu", "nanoseconds");
    put_texts(&making);
    put_field(&making.whole, 10, (uint64_t)llround(profile->seconds * 1e9));
    put_field(&making.whole, 12, (uint64_t)llround(profile->period * 1e9));
    put_field(&making.whole, 13, comment);
    bool done = pack(&making.whole, out, error);
    array_free(&making.whole.bytes);
    free(making.mappings);
    strings_free(&making.texts);
    return done;
}
