/* Samples of a recording become rows: the denormal values, their places in memory, and the callers.

   The place of data is certain only in modules and in the copied stack. The rest follows from the memory
   layout of Linux: above the program, below everything that is mapped, comes the heap; large blocks of malloc
   and the stacks of threads are mapped like files. */
#include "run/denormal/profile_samples.h"

#include <math.h>
#include <string.h>

enum { MOST_FRAMES = 128, RED_ZONE = 128 };

/* ---- values ---- */

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

/* NaN where a double cannot hold it: denormals of 80 bits are far below. */
static double extended_value(uint64_t mantissa, uint16_t sign_exponent)
{
    int exponent = sign_exponent & 0x7fff;
    if (exponent == 0x7fff)
        return NAN;
    double value = ldexp((double)mantissa, (exponent ? exponent : 1) - 16383 - 63);
    if (mantissa && value == 0)
        return NAN;
    return sign_exponent >> 15 ? -value : value;
}

static double value_of(const struct profile_sample *sample)
{
    uint64_t low;
    uint16_t high;
    float single;
    double number;
    memcpy(&low, sample->value, 8);
    memcpy(&high, sample->value + 8, 2);
    switch (sample->operand_bits) {
    case 16:
        return half_value((uint16_t)low);
    case 32:
        memcpy(&single, sample->value, 4);
        return single;
    case 64:
        memcpy(&number, sample->value, 8);
        return number;
    case 80:
        return extended_value(low, high);
    default:
        return NAN;
    }
}

/* ---- places ---- */

/* The first thread's stack lies above all files, and nothing but the kernel's pages above it; a stack that
   the program made for itself (coroutines) does not. */
static bool is_first_stack(const struct profile_samples *samples, const struct profile_sample *sample)
{
    if (sample->thread != samples->process)
        return false;
    for (size_t i = samples->modules->count; i-- > 0;) {
        const struct places_loaded *module = ARRAY_AT(struct places_loaded, samples->modules, i);
        if (module->path[0] == '/')
            return module->end <= sample->stack_address;
    }
    return true;
}

/* In the copied part of the thread's stack, or anywhere above it on the first thread's stack. */
static bool is_on_stack(const struct profile_samples *samples, const struct profile_sample *sample)
{
    uint64_t below = sample->stack_address > RED_ZONE ? sample->stack_address - RED_ZONE : 0;
    if (sample->data_address < below || !sample->stack_address)
        return false;
    return sample->data_address - below < RED_ZONE + (uint64_t)sample->stack_bytes ||
           is_first_stack(samples, sample);
}

static string_id place_of(const struct profile_samples *samples, const struct profile_sample *sample)
{
    struct model *model = samples->model;
    uint64_t address = sample->data_address;
    const struct places_loaded *module = places_loaded_at(samples->modules, address);
    if (module)
        return denormal_name_data(model, module, address - module->bias,
                                  !strcmp(module->path, samples->program));
    if (is_on_stack(samples, sample))
        return model_string(model, "stack");
    uint64_t above = UINT64_MAX;
    const struct places_loaded *program = NULL;
    for (size_t i = 0; i < samples->modules->count; i++) {
        const struct places_loaded *it = ARRAY_AT(struct places_loaded, samples->modules, i);
        if (!strcmp(it->path, samples->program))
            program = it;
        else if (program && it->start < above)
            above = it->start;
    }
    if (program && address >= program->end && address < above && address < sample->stack_address)
        return model_string(model, "heap");
    return model_string(model, "mapped memory: a large block of the heap, or a thread's stack");
}

/* ---- stacks ---- */

static uint32_t stack_of(const struct profile_samples *samples, const struct profile_sample *sample)
{
    struct places_registers registers = {.isa = samples->is_64 ? isa_X86_64 : isa_I386};
    uint64_t addresses[MOST_FRAMES + 1];
    memcpy(registers.values, sample->registers, sizeof sample->registers);
    /* x87 reports late: the registers are then those of a later instruction. */
    size_t count = places_unwind(samples->unwinder, &registers, sample->stack_address, sample->stack,
                                 sample->stack_bytes, addresses + 1, MOST_FRAMES);
    uint64_t *first = addresses + 1;
    if (first[0] != sample->address) {
        uint32_t here = places_locate(samples->model, samples->modules, sample->address).function;
        uint32_t later = places_locate(samples->model, samples->modules, first[0]).function;
        if (here && here == later) {
            first[0] = sample->address;
        } else {
            first = addresses;
            first[0] = sample->address;
            count = 1; /* the caller is unknown */
        }
    }
    return denormal_add_stack(samples->model, samples->modules, first, count);
}

void profile_add_sample(void *context, const struct profile_sample *sample)
{
    const struct profile_samples *samples = context;
    struct model *model = samples->model;
    struct places_location place = places_locate(model, samples->modules, sample->address);
    struct denormal_sample row = {
        .run = samples->run,
        .phase = samples->first_phase + sample->phase,
        .program = place.program,
        .address = place.address,
        .instruction = place.instruction,
        .event = sample->event == PROFILE_OPERAND_EVENT ? denormal_event_OPERAND : denormal_event_UNDERFLOW,
        .operand = sample->operand_bits && sample->operand[0] ? model_string(model, sample->operand) : 0,
        .lane = sample->lane,
        .value = value_of(sample),
        .data_address = NO_ADDRESS,
        .thread = sample->thread,
    };
    if (sample->operand_bits && sample->is_memory) {
        row.data_address = sample->data_address;
        row.place = place_of(samples, sample);
    }
    row.stack = stack_of(samples, sample);
    *(struct denormal_sample *)model_add(&model->denormal_samples) = row;
}
