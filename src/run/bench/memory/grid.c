#include "run/bench/memory/grid.h"

#include <stdio.h>

const char *const bench_stream_words[] = {"load",   "loads", "store", "copy",
                                          "update", "triad", "light", "heavy"};
const unsigned memory_strides[] = {64, 128, 256, 4096};
const unsigned memory_stride_count = sizeof memory_strides / sizeof *memory_strides;
const unsigned memory_widths[] = {16, 32, 64};
const unsigned memory_width_count = sizeof memory_widths / sizeof *memory_widths;

const char *const memory_questions[] = {
    "type", "level", "size", "ways_of_associativity", "coherency_line_size", "shared_cpu_list"};
const unsigned memory_question_count = sizeof memory_questions / sizeof *memory_questions;

unsigned bench_stream_step(enum isa isa)
{
    return isa == isa_AARCH64 ? 256 : 512;
}

unsigned bench_stream_arrays(enum bench_stream kind)
{
    return kind == stream_TRIAD || kind == stream_LOADS ? 3 : kind == stream_COPY ? 2 : 1;
}

unsigned memory_sizes(uint64_t smallest, uint64_t largest, unsigned per_octave, uint64_t *sizes)
{
    unsigned count = 0;
    for (uint64_t octave = smallest; octave <= largest; octave *= 2)
        for (unsigned i = 0; i < per_octave && count < MEMORY_MOST_SIZES; i++) {
            uint64_t size = octave + octave / per_octave * i;
            if (size <= largest)
                sizes[count++] = size;
        }
    return count;
}

bool memory_has_crowd(enum bench_stream kind)
{
    return kind == stream_LOAD || kind == stream_STORE || kind == stream_COPY;
}

unsigned memory_crowd_sizes(uint64_t largest, unsigned threads, uint64_t *sizes)
{
    static const uint64_t all[] = {16 << 10, 256 << 10, 1 << 20, 4 << 20, 64 << 20};
    enum { SHARED = 4 << 20 };
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] <= largest && (threads == BENCH_ALL || all[i] >= SHARED))
            sizes[count++] = all[i];
    return count;
}

const char *memory_question_name(char name[BENCH_NAME], unsigned index, const char *question)
{
    snprintf(name, BENCH_NAME, "system|/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, question);
    return name;
}

const char *memory_name(char name[BENCH_NAME], const char *what, unsigned number, uint64_t bytes,
                        unsigned threads)
{
    int length =
        number ? snprintf(name, BENCH_NAME, "memory|%s %u|%llu", what, number, (unsigned long long)bytes)
               : snprintf(name, BENCH_NAME, "memory|%s|%llu", what, (unsigned long long)bytes);
    if (threads == BENCH_ALL)
        snprintf(name + length, BENCH_NAME - (size_t)length, "|all");
    else if (threads > 1)
        snprintf(name + length, BENCH_NAME - (size_t)length, "|%u", threads);
    return name;
}
