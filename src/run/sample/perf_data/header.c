/* The head of a file names three sections (events, records, and one that nobody uses any more); a bit for each feature
   says that its section is listed behind the records.  Only what we need is read of them. */
#include "run/sample/perf_data/header.h"

#include "run/sample/perf_data/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAGIC = 8,
    PIPE_HEAD = 16,
    FILE_HEAD = 104,
    FLAGS = 72, /* their place in the head */
    SECTION = 16,
    FEATURES = 256,
    LARGEST_SECTION = 1 << 26,
    MOST_WORDS = 1 << 16,
    FEATURE_BUILD_ID = 2,
    FEATURE_HOST = 3,
    FEATURE_VERSION = 5,
    FEATURE_ARCHITECTURE = 6,
    FEATURE_PROCESSOR = 8,
    FEATURE_PROCESSOR_ID = 9,
    FEATURE_COMMAND = 11,
    FEATURE_EVENTS = 12,
    BUILD_ID = 20,
    BUILD_ID_HAS_SIZE = 1 << 15, /* in misc */
};

struct stretch {
    uint64_t offset, size;
};

static struct stretch take_section(struct perf_data_cursor *cursor)
{
    struct stretch section = {.offset = perf_data_take_number(cursor)};
    section.size = perf_data_take_number(cursor);
    return section;
}

static struct perf_data_cursor section_bytes(struct perf_data_bytes *bytes, struct stretch section)
{
    const uint8_t *at = section.size <= LARGEST_SECTION
                            ? perf_data_bytes_at(bytes, section.offset, (size_t)section.size)
                            : NULL;
    return at ? (struct perf_data_cursor){at, at + section.size, false}
              : (struct perf_data_cursor){.is_short = true};
}

/* ---- build-ids ---- */

void perf_data_header_write_build_id(char text[41], const uint8_t *bytes, size_t size)
{
    text[0] = 0;
    for (size_t i = 0; i < size && i < BUILD_ID; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* Old recordings do not say how long a build-id is: shorter ones end with zeros. */
static size_t length_of(const uint8_t *build_id, bool has_size, uint8_t size)
{
    size_t length = has_size && size <= BUILD_ID ? size : BUILD_ID;
    while (!has_size && length > 16 && !build_id[length - 1])
        length--;
    return !has_size && length < BUILD_ID && length > 16 ? BUILD_ID : length;
}

static void add_build(struct perf_data_header *header, const uint8_t *record, size_t size)
{
    struct perf_event_header head;
    struct perf_data_cursor cursor = {record, record + size, false};
    const uint8_t *taken = perf_data_take(&cursor, sizeof head);
    if (taken)
        memcpy(&head, taken, sizeof head);
    perf_data_take_word(&cursor); /* process */
    const uint8_t *build_id = perf_data_take(&cursor, BUILD_ID + 4);
    const char *path = perf_data_take_last_text(&cursor);
    if (!build_id || !path) {
        header->nonsense++;
        return;
    }
    if ((head.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL || path[0] != '/')
        return;
    struct perf_data_build *build = array_add(&header->builds);
    build->path = memory_copy_text(path, strlen(path));
    perf_data_header_write_build_id(build->build_id, build_id,
                                    length_of(build_id, head.misc & BUILD_ID_HAS_SIZE, build_id[BUILD_ID]));
}

static void take_builds(struct perf_data_header *header, struct perf_data_cursor cursor)
{
    while (!cursor.is_short && (size_t)(cursor.end - cursor.at) >= sizeof(struct perf_event_header)) {
        struct perf_event_header head;
        memcpy(&head, cursor.at, sizeof head);
        const uint8_t *record = head.size >= sizeof head ? perf_data_take(&cursor, head.size) : NULL;
        if (!record) {
            header->nonsense++;
            return;
        }
        add_build(header, record, head.size);
    }
}

static int by_path(const void *left, const void *right)
{
    const struct perf_data_build *a = left, *b = right;
    return strcmp(a->path, b->path);
}

void perf_data_header_settle(struct perf_data_header *header)
{
    if (header->builds.count)
        qsort(header->builds.data, header->builds.count, header->builds.width, by_path);
}

const char *perf_data_header_build_id(const struct perf_data_header *header, const char *path)
{
    struct perf_data_build wanted = {.path = (char *)(uintptr_t)path};
    const struct perf_data_build *found =
        header->builds.count
            ? bsearch(&wanted, header->builds.data, header->builds.count, header->builds.width, by_path)
            : NULL;
    return found ? found->build_id : NULL;
}

/* ---- features ---- */

static const char *take_string(struct perf_data_cursor *cursor)
{
    uint32_t size = perf_data_take_word(cursor);
    return perf_data_take_text(cursor, size);
}

static void note_text(char **to, struct perf_data_cursor cursor)
{
    const char *text = take_string(&cursor);
    if (!text || *to)
        return;
    *to = memory_copy_text(text, strnlen(text, 1000));
}

static void take_words(struct perf_data_header *header, struct perf_data_cursor cursor)
{
    uint32_t count = perf_data_take_word(&cursor);
    for (uint32_t i = 0; i < count && i < MOST_WORDS && !cursor.is_short; i++) {
        const char *word = take_string(&cursor);
        if (word)
            *(char **)array_push(&header->words) = memory_copy_text(word, strlen(word));
    }
}

static void take_names(struct perf_data_events *events, struct perf_data_cursor cursor)
{
    uint32_t count = perf_data_take_word(&cursor), size = perf_data_take_word(&cursor);
    for (uint32_t i = 0; i < count && !cursor.is_short; i++) {
        perf_data_take(&cursor, size);
        uint32_t ids = perf_data_take_word(&cursor);
        const char *name = take_string(&cursor);
        uint64_t first = ids ? perf_data_take_number(&cursor) : 0;
        if (ids > 1)
            perf_data_take(&cursor, (ids - 1) * (uint64_t)8);
        if (name && !cursor.is_short)
            perf_data_events_name(events, first, i, name);
    }
}

static void take_feature(struct perf_data_header *header, struct perf_data_events *events, uint64_t feature,
                         struct perf_data_cursor cursor)
{
    switch (feature) {
    case FEATURE_BUILD_ID:
        take_builds(header, cursor);
        break;
    case FEATURE_HOST:
        note_text(&header->host, cursor);
        break;
    case FEATURE_VERSION:
        note_text(&header->version, cursor);
        break;
    case FEATURE_ARCHITECTURE:
        note_text(&header->architecture, cursor);
        break;
    case FEATURE_PROCESSOR:
        note_text(&header->processor, cursor);
        break;
    case FEATURE_PROCESSOR_ID:
        note_text(&header->processor_id, cursor);
        break;
    case FEATURE_COMMAND:
        if (!header->words.count)
            take_words(header, cursor);
        break;
    case FEATURE_EVENTS:
        take_names(events, cursor);
        break;
    default:
        break;
    }
}

/* ---- a pipe ---- */

static void take_attribute(struct perf_data_header *header, struct perf_data_events *events,
                           struct perf_data_cursor cursor)
{
    uint32_t size = 0;
    if (cursor.end - cursor.at >= 8)
        memcpy(&size, cursor.at + 4, sizeof size); /* of itself */
    const uint8_t *attribute = perf_data_take(&cursor, size ? size : PERF_ATTR_SIZE_VER0);
    if (!attribute || !perf_data_events_add(events, attribute, size ? size : PERF_ATTR_SIZE_VER0)) {
        header->nonsense++;
        return;
    }
    while (cursor.end - cursor.at >= 8)
        perf_data_events_add_id(events, perf_data_take_number(&cursor));
}

static void take_update(struct perf_data_events *events, struct perf_data_cursor cursor)
{
    enum { NAME = 2 };
    uint64_t type = perf_data_take_number(&cursor), id = perf_data_take_number(&cursor);
    const char *name = type == NAME ? perf_data_take_last_text(&cursor) : NULL;
    if (name)
        perf_data_events_name(events, id, SIZE_MAX, name);
}

void perf_data_header_take(struct perf_data_header *header, struct perf_data_events *events,
                           const uint8_t *record, size_t size)
{
    struct perf_event_header head;
    struct perf_data_cursor cursor = {record, record + size, false};
    memcpy(&head, perf_data_take(&cursor, sizeof head), sizeof head);
    if (head.type == PERF_DATA_ATTRIBUTE && header->is_pipe)
        take_attribute(header, events, cursor);
    else if (head.type == PERF_DATA_EVENT_UPDATE)
        take_update(events, cursor);
    else if (head.type == PERF_DATA_BUILD_ID)
        add_build(header, record, size);
    else if (head.type == PERF_DATA_FEATURE) {
        uint64_t feature = perf_data_take_number(&cursor);
        take_feature(header, events, feature, cursor);
    }
}

/* ---- a file ---- */

/* Ids stand in a section of their own, for each event. */
static bool take_events(struct perf_data_events *events, struct perf_data_bytes *bytes, uint64_t width,
                        struct stretch all)
{
    if (width < PERF_ATTR_SIZE_VER0 + SECTION || width > UINT16_MAX || all.size > LARGEST_SECTION)
        return false;
    for (uint64_t at = 0; at + width <= all.size; at += width) {
        struct perf_data_cursor cursor = section_bytes(bytes, (struct stretch){all.offset + at, width});
        const uint8_t *attribute = perf_data_take(&cursor, width - SECTION);
        struct stretch ids = take_section(&cursor);
        if (!attribute || !perf_data_events_add(events, attribute, (size_t)(width - SECTION)))
            return false;
        cursor = section_bytes(bytes, ids);
        while (!cursor.is_short && cursor.end - cursor.at >= 8)
            perf_data_events_add_id(events, perf_data_take_number(&cursor));
    }
    return events->events.count;
}

static void take_features(struct perf_data_header *header, struct perf_data_events *events,
                          struct perf_data_bytes *bytes, const uint8_t flags[FEATURES / 8])
{
    uint64_t at = header->end;
    for (unsigned feature = 0; feature < FEATURES; feature++) {
        if (!(flags[feature / 8] >> feature % 8 & 1))
            continue;
        struct perf_data_cursor cursor = section_bytes(bytes, (struct stretch){at, SECTION});
        if (cursor.is_short) {
            header->was_cut = true;
            return;
        }
        take_feature(header, events, feature, section_bytes(bytes, take_section(&cursor)));
        at += SECTION;
    }
}

static bool read_file(struct perf_data_header *header, struct perf_data_events *events,
                      struct perf_data_bytes *bytes, const char *path, struct error *error)
{
    const uint8_t *head = perf_data_bytes_at(bytes, 0, FILE_HEAD);
    if (!head)
        return error_set(error, path, "is a recording of perf that ends within its head");
    struct perf_data_cursor cursor = {head + PIPE_HEAD, head + FILE_HEAD, false};
    uint8_t flags[FEATURES / 8];
    uint64_t width = perf_data_take_number(&cursor);
    struct stretch attributes = take_section(&cursor), data = take_section(&cursor);
    memcpy(flags, head + FLAGS, sizeof flags);
    if (!take_events(events, bytes, width, attributes))
        return error_set(error, path, "is a recording of perf whose list of events makes no sense");
    header->start = data.offset;
    header->end = data.offset + data.size;
    if (data.offset > bytes->size)
        return error_set(error, path, "is a recording of perf that ends before its records");
    if (!data.size || data.size > bytes->size - data.offset) {
        header->end = bytes->size;
        header->was_cut = true;
        return true;
    }
    take_features(header, events, bytes, flags);
    return true;
}

bool perf_data_header_read(struct perf_data_header *header, struct perf_data_events *events,
                           struct perf_data_bytes *bytes, const char *path, struct error *error)
{
    *header =
        (struct perf_data_header){.words = ARRAY_OF(char *), .builds = ARRAY_OF(struct perf_data_build)};
    const uint8_t *head = perf_data_bytes_at(bytes, 0, PIPE_HEAD);
    uint64_t size = 0;
    if (!bytes->size)
        return error_set(error, path, "is empty");
    if (!head || (memcmp(head, "PERFILE2", MAGIC) && memcmp(head, "2ELIFREP", MAGIC) &&
                  memcmp(head, "PERFFILE", MAGIC)))
        return error_set(error, path, "is not a recording of perf (perf record writes perf.data)");
    if (!memcmp(head, "2ELIFREP", MAGIC))
        return error_set(
            error, path,
            "was recorded on a computer with the other order of bytes, which Assay does not read");
    if (!memcmp(head, "PERFFILE", MAGIC))
        return error_set(error, path,
                         "was written by a perf from before 2010, whose format Assay does not read");
    memcpy(&size, head + MAGIC, sizeof size);
    if (size != PIPE_HEAD)
        return read_file(header, events, bytes, path, error);
    header->is_pipe = true;
    header->start = PIPE_HEAD;
    header->end = bytes->size;
    return true;
}

void perf_data_header_free(struct perf_data_header *header)
{
    for (size_t i = 0; i < header->words.count; i++)
        free(*ARRAY_AT(char *, &header->words, i));
    for (size_t i = 0; i < header->builds.count; i++)
        free(ARRAY_AT(struct perf_data_build, &header->builds, i)->path);
    array_free(&header->words);
    array_free(&header->builds);
    free(header->host);
    free(header->architecture);
    free(header->processor);
    free(header->processor_id);
    free(header->version);
}
