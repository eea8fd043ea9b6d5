/* A recording as a file: one for each rank of a parallel run.

   After the head (magic, version, sum) everything is a sequence of numbers: integers in groups of seven
   bits, the lowest first; real numbers in eight bytes; texts as their length + 1 and their bytes (0: none);
   arrays as their count and their records.  The files of a thousand ranks may lie on a slow file system, so
   they are small.

   A reader trusts nothing.  The sum finds what a broken copy or a full disk did to a file; somebody may have
   made a file with a right sum on purpose, so every place is checked against its table, every number against
   what it means, and a count against the bytes that are left, before memory is taken for it.  Callers come
   before their callees, so that stacks end. */
#include "run/sample/recording_file.h"

#include "base/expect.h"
#include "base/output.h"
#include "base/regular_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t recording_file_sum(const uint8_t *bytes, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3;
    return sum;
}

/* Writing. */

static void put_byte(struct array *bytes, uint8_t byte)
{
    *(uint8_t *)array_push(bytes) = byte;
}

static void put_fixed(struct array *bytes, uint64_t number, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_byte(bytes, (uint8_t)(number >> i * 8));
}

static void put_number(struct array *bytes, uint64_t number)
{
    for (; number > 127; number >>= 7)
        put_byte(bytes, (uint8_t)(number | 128));
    put_byte(bytes, (uint8_t)number);
}

/* Small numbers of both signs stay short. */
static void put_signed(struct array *bytes, int64_t number)
{
    put_number(bytes, number < 0 ? ~((uint64_t)number << 1) : (uint64_t)number << 1);
}

static void put_real(struct array *bytes, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    put_fixed(bytes, bits, 8);
}

static void put_text(struct array *bytes, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(bytes, text ? length + 1 : 0);
    if (length)
        memcpy(array_push_many(bytes, length), text, length);
}

static void put_summary(struct array *bytes, const struct sample_recording *recording)
{
    put_text(bytes, recording->command);
    put_text(bytes, recording->processor);
    put_text(bytes, recording->host);
    put_text(bytes, recording->why_not_kernel);
    put_byte(bytes, recording->source);
    put_byte(bytes, recording->has_kernel);
    put_real(bytes, recording->frequency);
    put_real(bytes, recording->seconds);
    put_real(bytes, recording->cpu_seconds);
    put_real(bytes, recording->kernel_seconds);
    put_real(bytes, recording->cycles_per_second);
    put_real(bytes, recording->slowest_clock);
    put_real(bytes, recording->fastest_clock);
    put_real(bytes, recording->others_share);
    put_signed(bytes, recording->exit_status);
    put_signed(bytes, recording->end_signal);
    put_number(bytes, recording->minor_faults);
    put_number(bytes, recording->major_faults);
    put_number(bytes, recording->voluntary_switches);
    put_number(bytes, recording->involuntary_switches);
    put_number(bytes, recording->peak_memory);
    put_number(bytes, recording->lost);
    put_number(bytes, recording->summarised);
    put_number(bytes, recording->unread);
}

static void put_file(struct array *bytes, const void *record)
{
    const struct sample_file *file = record;
    put_text(bytes, file->path);
    put_text(bytes, file->build_id);
    put_byte(bytes, file->kind);
    put_byte(bytes, file->is_deleted);
    put_byte(bytes, file->has_other_code);
}

static void put_frame(struct array *bytes, const void *record)
{
    const struct sample_frame *frame = record;
    put_number(bytes, frame->file);
    put_number(bytes, frame->address);
}

static void put_node(struct array *bytes, const void *record)
{
    const struct sample_node *node = record;
    put_number(bytes, (uint64_t)node->caller << 1 | node->is_cut);
    put_number(bytes, node->frame);
}

static void put_process(struct array *bytes, const void *record)
{
    const struct sample_process *process = record;
    put_number(bytes, process->process);
    put_number(bytes, process->parent);
    put_text(bytes, process->command);
    put_text(bytes, process->host);
    put_signed(bytes, process->rank);
    put_real(bytes, process->start);
    put_real(bytes, process->end);
    put_real(bytes, process->cpu);
    put_real(bytes, process->kernel_cpu);
}

static void put_thread(struct array *bytes, const void *record)
{
    const struct sample_thread *thread = record;
    put_number(bytes, thread->process);
    put_number(bytes, thread->thread);
    put_text(bytes, thread->name);
    put_real(bytes, thread->start);
    put_real(bytes, thread->end);
    put_real(bytes, thread->queued);
}

static void put_event(struct array *bytes, const void *record)
{
    const struct sample_event *event = record;
    put_text(bytes, event->name);
    put_real(bytes, event->total);
    put_real(bytes, event->running);
    put_number(bytes, event->samples);
    put_byte(bytes, event->is_exact);
}

static void put_count(struct array *bytes, const void *record)
{
    const struct sample_count *count = record;
    put_number(bytes, count->thread);
    put_number(bytes, count->node);
    put_number(bytes, count->event);
    put_number(bytes, count->samples);
    put_real(bytes, count->amount);
}

static void put_all(struct array *bytes, const struct array *records,
                    void (*put)(struct array *bytes, const void *record))
{
    put_number(bytes, records->count);
    for (size_t i = 0; i < records->count; i++)
        put(bytes, array_at(records, i));
}

struct array recording_file_encode(const struct sample_recording *recording)
{
    struct array bytes = ARRAY_OF(uint8_t);
    memcpy(array_push_many(&bytes, 8), RECORDING_FILE_MAGIC, 8);
    put_fixed(&bytes, RECORDING_FILE_VERSION, 4);
    put_fixed(&bytes, 0, 4);
    put_fixed(&bytes, 0, 8); /* the sum, below */
    put_summary(&bytes, recording);
    put_all(&bytes, &recording->files, put_file);
    put_all(&bytes, &recording->frames, put_frame);
    put_all(&bytes, &recording->nodes, put_node);
    put_all(&bytes, &recording->processes, put_process);
    put_all(&bytes, &recording->threads, put_thread);
    put_all(&bytes, &recording->events, put_event);
    put_all(&bytes, &recording->counts, put_count);
    uint8_t *all = bytes.data;
    uint64_t sum = recording_file_sum(all + RECORDING_FILE_HEAD, bytes.count - RECORDING_FILE_HEAD);
    for (unsigned i = 0; i < 8; i++)
        all[16 + i] = (uint8_t)(sum >> i * 8);
    return bytes;
}

bool sample_recording_write(const struct sample_recording *recording, const char *path, struct error *error)
{
    struct output *output = output_open(path, error);
    if (!output)
        return false;
    struct array bytes = recording_file_encode(recording);
    fwrite(bytes.data, 1, bytes.count, output_stream(output)); /* output_finish says whether it worked */
    array_free(&bytes);
    return output_finish(output, error);
}

/* Reading: after the first thing that is wrong, everything reads as 0. */

struct cursor {
    const uint8_t *at, *end;
    const struct sample_recording *recording; /* as far as it was read */
    const char *wrong;                        /* NULL: nothing */
};

static bool check(struct cursor *cursor, bool is_right, const char *what)
{
    if (!is_right && !cursor->wrong)
        cursor->wrong = what;
    return !cursor->wrong;
}

static uint64_t get_fixed(struct cursor *cursor, unsigned count)
{
    expect(cursor->at <= cursor->end && count <= 8);
    if (!check(cursor, (size_t)(cursor->end - cursor->at) >= count, "it ends too early"))
        return 0;
    uint64_t number = 0;
    for (unsigned i = 0; i < count; i++)
        number |= (uint64_t)*cursor->at++ << i * 8;
    return number;
}

static uint64_t get_number(struct cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = get_fixed(cursor, 1);
        if (!check(cursor, shift < 63 || byte <= 1, "a number is too large"))
            return 0;
        number |= (byte & 127) << shift;
        if (byte < 128)
            return number;
    }
}

static uint64_t get_below(struct cursor *cursor, uint64_t limit, const char *what)
{
    uint64_t number = get_number(cursor);
    return check(cursor, number < limit, what) ? number : 0;
}

static uint32_t get_short(struct cursor *cursor)
{
    return (uint32_t)get_below(cursor, (uint64_t)UINT32_MAX + 1, "a number is too large");
}

static int32_t get_signed(struct cursor *cursor)
{
    uint64_t number = get_number(cursor);
    int64_t value = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
    return check(cursor, value >= INT32_MIN && value <= INT32_MAX, "a number is too large") ? (int32_t)value
                                                                                            : 0;
}

static bool get_flag(struct cursor *cursor)
{
    return get_below(cursor, 2, "a flag is neither 0 nor 1");
}

static double get_real(struct cursor *cursor)
{
    uint64_t bits = get_fixed(cursor, 8);
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static double checked(struct cursor *cursor, double real)
{
    return check(cursor, isfinite(real) && real >= 0, "a quantity is negative or not a number") ? real : 0;
}

/* A quantity: not negative, not infinite. */
static double get_amount(struct cursor *cursor)
{
    return checked(cursor, get_real(cursor));
}

/* The same, or NaN: unknown. */
static double get_maybe(struct cursor *cursor)
{
    double real = get_real(cursor);
    return isnan(real) ? NAN : checked(cursor, real);
}

/* To be freed. */
static char *get_text(struct cursor *cursor)
{
    uint64_t length = get_number(cursor);
    if (!length || !check(cursor, length - 1 <= (uint64_t)(cursor->end - cursor->at), "it ends too early"))
        return NULL;
    const char *text = (const char *)cursor->at;
    cursor->at += --length;
    if (!check(cursor, !memchr(text, 0, length), "a text has a zero in it"))
        return NULL;
    return memory_copy_text(text, length);
}

static void get_build_id(struct cursor *cursor, char build_id[41])
{
    char *text = get_text(cursor);
    size_t length = text ? strlen(text) : 0;
    if (check(cursor, length <= 40 && (!text || strspn(text, "0123456789abcdef") == length),
              "a build-id is not one") &&
        text)
        memcpy(build_id, text, length + 1);
    free(text);
}

static void get_summary(struct cursor *cursor, struct sample_recording *recording)
{
    recording->command = get_text(cursor);
    recording->processor = get_text(cursor);
    recording->host = get_text(cursor);
    recording->why_not_kernel = get_text(cursor);
    recording->source = (uint8_t)get_below(cursor, SAMPLE_BY_TIMER + 1, "an unknown kind of samples");
    recording->has_kernel = get_flag(cursor);
    recording->frequency = get_amount(cursor);
    recording->seconds = get_amount(cursor);
    recording->cpu_seconds = get_maybe(cursor);
    recording->kernel_seconds = get_maybe(cursor);
    recording->cycles_per_second = get_maybe(cursor);
    recording->slowest_clock = get_maybe(cursor);
    recording->fastest_clock = get_maybe(cursor);
    recording->others_share = get_maybe(cursor);
    recording->exit_status = get_signed(cursor);
    recording->end_signal = get_signed(cursor);
    recording->minor_faults = get_number(cursor);
    recording->major_faults = get_number(cursor);
    recording->voluntary_switches = get_number(cursor);
    recording->involuntary_switches = get_number(cursor);
    recording->peak_memory = get_number(cursor);
    recording->lost = get_number(cursor);
    recording->summarised = get_number(cursor);
    recording->unread = get_number(cursor);
}

static void get_file(struct cursor *cursor, void *record)
{
    struct sample_file *file = record;
    file->path = get_text(cursor);
    get_build_id(cursor, file->build_id);
    file->kind = (uint8_t)get_below(cursor, SAMPLE_FILE_GENERATED + 1, "an unknown kind of file");
    file->is_deleted = get_flag(cursor);
    file->has_other_code = get_flag(cursor);
}

static void get_frame(struct cursor *cursor, void *record)
{
    struct sample_frame *frame = record;
    frame->file = (uint32_t)get_below(cursor, cursor->recording->files.count, "a frame has no file");
    frame->address = get_number(cursor);
}

static void get_node(struct cursor *cursor, void *record)
{
    struct sample_node *node = record;
    uint64_t number = get_number(cursor);
    size_t own = cursor->recording->nodes.count - 1;
    check(cursor, number >> 1 < own || (!own && !number), "the caller of a frame does not come before it");
    node->caller = cursor->wrong ? 0 : (uint32_t)(number >> 1);
    node->is_cut = number & 1;
    node->frame = (uint32_t)get_below(cursor, cursor->recording->frames.count, "a stack has no frame");
}

static void get_process(struct cursor *cursor, void *record)
{
    struct sample_process *process = record;
    process->process = get_short(cursor);
    process->parent = get_short(cursor);
    process->command = get_text(cursor);
    process->host = get_text(cursor);
    process->rank = get_signed(cursor);
    process->start = get_amount(cursor);
    process->end = get_maybe(cursor);
    process->cpu = get_maybe(cursor);
    process->kernel_cpu = get_maybe(cursor);
}

static void get_thread(struct cursor *cursor, void *record)
{
    struct sample_thread *thread = record;
    thread->process =
        (uint32_t)get_below(cursor, cursor->recording->processes.count, "a thread has no process");
    thread->thread = get_short(cursor);
    thread->name = get_text(cursor);
    thread->start = get_amount(cursor);
    thread->end = get_maybe(cursor);
    thread->queued = get_maybe(cursor);
}

static void get_event(struct cursor *cursor, void *record)
{
    struct sample_event *event = record;
    event->name = get_text(cursor);
    check(cursor, event->name, "an event has no name");
    event->total = get_maybe(cursor);
    event->running = get_amount(cursor);
    check(cursor, event->running <= 1, "a share is above 1");
    event->samples = get_number(cursor);
    event->is_exact = get_flag(cursor);
}

static uint64_t address_of(const struct sample_recording *recording, uint32_t node)
{
    uint32_t frame = ARRAY_AT(struct sample_node, &recording->nodes, node)->frame;
    return ARRAY_AT(struct sample_frame, &recording->frames, frame)->address;
}

static void get_count(struct cursor *cursor, void *record)
{
    struct sample_count *count = record;
    count->thread = (uint32_t)get_below(cursor, cursor->recording->threads.count, "samples have no thread");
    count->node = (uint32_t)get_below(cursor, cursor->recording->nodes.count, "samples have no stack");
    check(cursor, address_of(cursor->recording, count->node) != UINT64_MAX, "samples have no address");
    count->event = (uint16_t)get_below(cursor, cursor->recording->events.count, "samples have no event");
    count->samples = get_number(cursor);
    count->amount = get_amount(cursor);
}

/* Instead of what the table has.  The count cannot be larger than the bytes that are left, and memory grows
   with what was read. */
static void get_all(struct cursor *cursor, struct array *records, size_t least, size_t most,
                    void (*get)(struct cursor *cursor, void *record))
{
    uint64_t count = get_number(cursor);
    check(cursor, count >= least && count <= most, "a table is too short or too long");
    check(cursor, count <= (uint64_t)(cursor->end - cursor->at), "it ends too early");
    records->count = 0;
    for (uint64_t i = 0; i < count && !cursor->wrong; i++)
        get(cursor, array_add(records));
}

static void get_recording(struct cursor *cursor, struct sample_recording *recording)
{
    get_summary(cursor, recording);
    get_all(cursor, &recording->files, 1, UINT32_MAX, get_file);
    get_all(cursor, &recording->frames, 1, UINT32_MAX, get_frame);
    get_all(cursor, &recording->nodes, 1, UINT32_MAX, get_node);
    get_all(cursor, &recording->processes, 0, UINT32_MAX, get_process);
    get_all(cursor, &recording->threads, 0, UINT32_MAX, get_thread);
    get_all(cursor, &recording->events, 0, UINT16_MAX, get_event);
    get_all(cursor, &recording->counts, 0, SIZE_MAX, get_count);
    check(cursor, cursor->at == cursor->end, "something follows its end");
    if (cursor->wrong)
        return;
    const struct sample_file *file = array_at(&recording->files, 0);
    const struct sample_frame *frame = array_at(&recording->frames, 0);
    const struct sample_node *node = array_at(&recording->nodes, 0);
    check(cursor, !file->path && !file->kind && !frame->file && !frame->address && !node->frame,
          "its first entries are not empty");
}

bool recording_file_decode(struct sample_recording *recording, const uint8_t *bytes, size_t size,
                           const char *path, struct error *error)
{
    struct sample_recording found;
    struct cursor cursor = {bytes, bytes + size, &found, NULL};
    if (size < RECORDING_FILE_HEAD || memcmp(bytes, RECORDING_FILE_MAGIC, 8))
        return error_set(error, path, "is not a recording of assay run");
    cursor.at += 8;
    uint64_t version = get_fixed(&cursor, 4), rest = get_fixed(&cursor, 4), sum = get_fixed(&cursor, 8);
    if (version != RECORDING_FILE_VERSION || rest)
        return error_set(error, path, "was written by another version of assay (%u, not %u); record again",
                         (unsigned)version, RECORDING_FILE_VERSION);
    if (sum != recording_file_sum(cursor.at, (size_t)(cursor.end - cursor.at)))
        return error_set(error, path, "is damaged: its sum is wrong");
    sample_recording_init(&found);
    get_recording(&cursor, &found);
    if (cursor.wrong) {
        sample_recording_free(&found);
        return error_set(error, path, "is damaged: %s", cursor.wrong);
    }
    sample_recording_free(recording);
    *recording = found;
    return true;
}

bool sample_recording_read(struct sample_recording *recording, const char *path, struct error *error)
{
    static const uint64_t MOST = (uint64_t)4 << 30;
    uint64_t size;
    int file = regular_file_open(path, &size, error);
    if (file < 0)
        return false;
    if (size > MOST) {
        close(file);
        return error_set(error, path, "is too large for a recording of assay run");
    }
    output_spare_file(file);
    uint8_t *bytes = memory_get(size + 1);
    int64_t got = regular_file_read(file, bytes, size);
    if (got < 0)
        error_set_errno(error, path, "cannot be read");
    close(file);
    bool is_read = got >= 0 && recording_file_decode(recording, bytes, (size_t)got, path, error);
    free(bytes);
    return is_read;
}
