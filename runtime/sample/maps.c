/* Executable maps, copied from /proc/self/maps.  They go the way of the samples, so that the reader knows
   what was where when a sample was taken, even if the process has ended meanwhile.  They are written before
   the first sample, after dlclose, as other code may come to the same place, and whenever the reader wants
   them: it met an address that it does not know (dlopen), or they are old.  dlopen itself is left alone: it
   looks at who calls it.

   Under an emulator no map is executable, not even that of this code: then all maps of files count as such.
 */
#include "runtime/sample/sample.h"
#include "runtime/sample/real.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { FILE_BYTES = 4096 };

/* Of one writer at a time. */
static int is_writing, has_unloaded;
static char line[SAMPLE_MOST_TEXT];
static struct {
    char text[SAMPLE_MOST_TEXT];
    uint32_t length, is_first;
    bool is_lost; /* there was no room for a part: the rest would be of no use */
} part;

static void put_part(uint32_t is_last)
{
    uint32_t size = (uint32_t)sizeof(struct sample_maps) + part.length;
    uint64_t position;
    size = (size + SAMPLE_UNIT - 1) / SAMPLE_UNIT * SAMPLE_UNIT;
    struct sample_maps *maps = ring_take(size, &position);
    part.is_lost = !maps;
    if (!maps)
        return;
    maps->length = part.length;
    maps->is_first = part.is_first;
    maps->is_last = is_last;
    bytes_copy(maps + 1, part.text, part.length);
    ring_finish(maps, position, size, SAMPLE_MAPS);
    part.length = part.is_first = 0;
}

/* "5500000000-5500001000 r-xp 00001000 08:01 123   /usr/bin/cat" */

static uint32_t rights_at(uint32_t length)
{
    uint32_t at = 0;
    while (at < length && line[at] != ' ')
        at++;
    return at + 4 < length ? at + 1 : 0;
}

static bool has_name(uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (line[i] == '/')
            return true;
    return false;
}

static uintptr_t read_address(uint32_t *at)
{
    uintptr_t address = 0;
    for (;; (*at)++) {
        char digit = line[*at];
        if (digit >= '0' && digit <= '9')
            address = address << 4 | (uintptr_t)(digit - '0');
        else if (digit >= 'a' && digit <= 'f')
            address = address << 4 | (uintptr_t)(digit - 'a' + 10);
        else
            return address;
    }
}

static bool is_emulated;

/* The map that this very code is in says whether maps are executable. */
static void look_at_line(uint32_t length)
{
    uint32_t at = 0, rights = rights_at(length);
    uintptr_t start = read_address(&at);
    at++;
    uintptr_t end = read_address(&at), here = (uintptr_t)look_at_line;
    if (rights && start <= here && here < end)
        is_emulated = line[rights + 2] != 'x';
}

static void put_line(uint32_t length)
{
    uint32_t rights = rights_at(length);
    if (!rights)
        return;
    if (is_emulated && has_name(length))
        line[rights + 2] = 'x';
    if (line[rights + 2] != 'x')
        return;
    if (!part.is_lost && part.length + length > sizeof part.text)
        put_part(0);
    if (part.is_lost)
        return;
    bytes_copy(part.text + part.length, line, length);
    part.length += length;
}

static void each_line(void (*visit)(uint32_t length))
{
    static char bytes[FILE_BYTES];
    uint32_t length = 0;
    bool is_too_long = false;
    int file = system_open("/proc/self/maps", O_RDONLY, 0);
    if (file < 0)
        return;
    for (long got; (got = system_read(file, bytes, sizeof bytes)) > 0;)
        for (long i = 0; i < got; i++) {
            if (length < sizeof line)
                line[length++] = bytes[i];
            else
                is_too_long = true;
            if (bytes[i] != '\n')
                continue;
            if (!is_too_long)
                visit(length);
            length = 0;
            is_too_long = false;
        }
    system_close(file);
}

SAMPLE_EXPORT int dlclose(void *library)
{
    int result = real()->dlclose(library);
    __atomic_store_n(&has_unloaded, 1, __ATOMIC_RELAXED);
    return result;
}

void maps_forget(void)
{
    is_writing = 0;
}

void maps_write(void)
{
    uint64_t wanted = __atomic_load_n(&ring->maps_wanted, __ATOMIC_RELAXED);
    if ((ring->maps_written == wanted + 1 && !__atomic_load_n(&has_unloaded, __ATOMIC_RELAXED)) ||
        __atomic_exchange_n(&is_writing, 1, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&has_unloaded, 0, __ATOMIC_RELAXED);
    if (!ring->maps_written)
        each_line(look_at_line);
    part.length = 0;
    part.is_first = 1;
    part.is_lost = false;
    each_line(put_line);
    if (!part.is_lost)
        put_part(1);
    ring->maps_written = wanted + 1;
    __atomic_store_n(&is_writing, 0, __ATOMIC_RELEASE);
}
