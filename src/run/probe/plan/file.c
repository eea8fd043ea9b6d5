/* The plan as a file for the runtime: plan_file.h says how it is laid out. */
#include "run/probe/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

struct writing {
    struct probe_plan_header header;
    struct array modules, patches, fixes, code, texts;
};

static uint32_t runtime_isa(enum isa isa)
{
    return isa == isa_AARCH64 ? PROBE_ISA_AARCH64 : isa == isa_X86_64 ? PROBE_ISA_X86_64 : 0;
}

static void append(struct array *bytes, const void *data, size_t size)
{
    if (size)
        memcpy(array_push_many(bytes, size), data, size);
}

static void align(struct array *bytes)
{
    while (bytes->count % ALIGNMENT)
        *(uint8_t *)array_push(bytes) = 0;
}

/* From hexadecimal. */
static uint32_t read_build_id(const char *text, uint8_t *bytes, size_t most)
{
    uint32_t count = 0;
    unsigned byte;
    while (text && count < most && sscanf(text + 2 * count, "%2x", &byte) == 1 && text[2 * count] &&
           text[2 * count + 1])
        bytes[count++] = (uint8_t)byte;
    return count;
}

/* The bytes of the file at an address of its code; fewer where the section ends. */
static size_t file_bytes(const struct model *model, uint32_t program, uint64_t address, uint8_t *bytes,
                         size_t most)
{
    struct model_rows rows = MODEL_ROWS_OF(model, sections, section, program);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct section *section = model_section(model, i);
        if (!section->is_code || address < section->address ||
            address - section->address >= section->contents.size)
            continue;
        size_t at = (size_t)(address - section->address), left = section->contents.size - at;
        size_t count = left < most ? left : most;
        memcpy(bytes, section->contents.data + at, count);
        return count;
    }
    return 0;
}

/* Where the jump is that a short one leads to; otherwise the window itself. */
static uint64_t place_of_jump(const struct probe_window *window)
{
    enum { SHORT_JUMP_BYTES = 2 };
    return window->hop ? window->address + SHORT_JUMP_BYTES + (uint64_t)(int64_t)window->hop
                       : window->address;
}

/* After the jump of another window there is what that patch leaves: int3.  Elsewhere there is padding. */
static void add_hop(struct probe_plan_patch *patch, const struct probe_plan *plan,
                    const struct probe_window *window)
{
    enum { INT3 = 0xcc };
    uint64_t place = place_of_jump(window);
    const struct array *windows = &plan->windows.windows;
    struct bisection search = {0, windows->count};
    while (bisect(&search)) {
        const struct probe_window *middle = ARRAY_AT(struct probe_window, windows, search.middle);
        bisect_past(&search, middle->program < window->program ||
                                 (middle->program == window->program && middle->address <= place));
    }
    const struct probe_window *before =
        search.first ? ARRAY_AT(struct probe_window, windows, search.first - 1) : NULL;
    patch->hop = window->hop;
    if (before && before->program == window->program && place < before->address + before->size)
        memset(patch->original + patch->size, INT3, PROBE_HOP_BYTES);
    else
        file_bytes(plan->model, window->program, place, patch->original + patch->size, PROBE_HOP_BYTES);
}

static void add_patch(struct writing *writing, const struct probe_plan *plan,
                      const struct probe_window *window, uint32_t trampoline)
{
    const struct model *model = plan->model;
    struct probe_plan_patch *patch = array_add(&writing->patches);
    *patch = (struct probe_plan_patch){.address = window->address,
                                       .trampoline = trampoline,
                                       .way = window->way,
                                       .size = window->size,
                                       .switching = window->switching,
                                       .tally = window->tally};
    size_t most = window->size < PROBE_PATCH_BYTES ? window->size : PROBE_PATCH_BYTES;
    patch->size = (uint8_t)file_bytes(model, window->program, window->address, patch->original, most);
    if (window->hop)
        add_hop(patch, plan, window);
    for (unsigned i = 0; i < window->moved_count; i++)
        patch->points = (uint16_t)(patch->points + window->moved[i].point_count);
}

static void add_module(struct writing *writing, const struct probe_plan *plan,
                       const struct probe_made_module *module)
{
    const struct model *model = plan->model;
    const struct program *program = model_program(model, module->program);
    const char *path = model_text(model, program->path), *build_id = model_text(model, program->build_id);
    char *full = realpath(path, NULL);
    const char *text = full ? full : path;
    align(&writing->code);
    struct probe_plan_module *row = array_add(&writing->modules);
    *row = (struct probe_plan_module){.path = writing->texts.count,
                                      .low = UINT64_MAX,
                                      .code = writing->code.count,
                                      .code_bytes = module->trampolines.code.count,
                                      .first_patch = writing->patches.count,
                                      .patch_count = module->window_count,
                                      .first_fix = writing->fixes.count,
                                      .fix_count = module->trampolines.fixes.count};
    append(&writing->texts, text, strlen(text) + 1);
    free(full);
    row->build_id_bytes =
        read_build_id(program->build_id ? build_id : NULL, row->build_id, sizeof row->build_id);
    append(&writing->code, module->trampolines.code.data, module->trampolines.code.count);
    if (module->trampolines.fixes.count)
        memcpy(array_push_many(&writing->fixes, module->trampolines.fixes.count),
               module->trampolines.fixes.data,
               module->trampolines.fixes.count * sizeof(struct probe_plan_fix));
    for (uint32_t i = 0; i < module->window_count; i++) {
        const struct probe_window *window =
            ARRAY_AT(struct probe_window, &plan->windows.windows, module->first_window + i);
        add_patch(writing, plan, window, *ARRAY_AT(uint32_t, &module->trampolines.starts, i));
        uint64_t jump = place_of_jump(window), end = window->address + window->size;
        uint64_t low = jump < window->address ? jump : window->address;
        uint64_t high = window->hop && jump + PROBE_HOP_BYTES > end ? jump + PROBE_HOP_BYTES : end;
        row->low = low < row->low ? low : row->low;
        row->high = high > row->high ? high : row->high;
    }
}

static struct probe_plan_section section(uint64_t *at, size_t count, size_t width)
{
    struct probe_plan_section found = {.offset = *at, .count = count};
    *at = (*at + count * width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return found;
}

static bool put(FILE *out, const struct probe_plan_section *section, const void *data, size_t width)
{
    return !section->count || (!fseek(out, (long)section->offset, SEEK_SET) &&
                               fwrite(data, width, section->count, out) == section->count);
}

static bool write_sections(FILE *out, struct writing *writing, const struct probe_plan *plan)
{
    struct probe_plan_header *header = &writing->header;
    uint64_t at = sizeof *header;
    size_t subject_count = plan->subjects.count;
    struct probe_plan_subject *subjects = memory_get((subject_count + 1) * sizeof *subjects);
    for (size_t i = 0; i < subject_count; i++)
        subjects[i] = ARRAY_AT(struct probe_subject, &plan->subjects, i)->how;
    header->subjects = section(&at, subject_count, sizeof *subjects);
    header->modules = section(&at, writing->modules.count, sizeof(struct probe_plan_module));
    header->patches = section(&at, writing->patches.count, sizeof(struct probe_plan_patch));
    header->fixes = section(&at, writing->fixes.count, sizeof(struct probe_plan_fix));
    header->tallies = section(&at, plan->tallies.count, sizeof(struct probe_plan_tally));
    header->code = section(&at, writing->code.count, 1);
    struct probe_plan_section texts = section(&at, writing->texts.count, 1);
    header->size = at;
    for (size_t i = 0; i < writing->modules.count; i++)
        ARRAY_AT(struct probe_plan_module, &writing->modules, i)->path += texts.offset;
    bool is_done = fwrite(header, sizeof *header, 1, out) == 1 &&
                   put(out, &header->subjects, subjects, sizeof *subjects) &&
                   put(out, &header->modules, writing->modules.data, sizeof(struct probe_plan_module)) &&
                   put(out, &header->patches, writing->patches.data, sizeof(struct probe_plan_patch)) &&
                   put(out, &header->fixes, writing->fixes.data, sizeof(struct probe_plan_fix)) &&
                   put(out, &header->tallies, plan->tallies.data, sizeof(struct probe_plan_tally)) &&
                   put(out, &header->code, writing->code.data, 1) &&
                   put(out, &texts, writing->texts.data, 1) && !fseek(out, (long)at - 1, SEEK_SET) &&
                   putc(0, out) != EOF;
    free(subjects);
    return is_done;
}

bool probe_plan_write(const struct probe_plan *plan, const char *path, struct error *error)
{
    struct writing writing = {.modules = ARRAY_OF(struct probe_plan_module),
                              .patches = ARRAY_OF(struct probe_plan_patch),
                              .fixes = ARRAY_OF(struct probe_plan_fix),
                              .code = ARRAY_OF(uint8_t),
                              .texts = ARRAY_OF(uint8_t)};
    memcpy(writing.header.magic, PROBE_PLAN_MAGIC, sizeof writing.header.magic);
    writing.header.version = PROBE_PLAN_VERSION;
    writing.header.flags = plan->keeps_all ? PROBE_KEEP_ALL : 0;
    writing.header.counter_count = plan->counter_count;
    for (size_t i = 0; i < plan->modules.count; i++) {
        const struct probe_made_module *module = ARRAY_AT(struct probe_made_module, &plan->modules, i);
        writing.header.isa = runtime_isa((enum isa)model_program(plan->model, module->program)->isa);
        add_module(&writing, plan, module);
    }
    FILE *out = fopen(path, "we");
    bool is_done = out && write_sections(out, &writing, plan);
    if (out)
        is_done = !fclose(out) && is_done;
    array_free(&writing.modules);
    array_free(&writing.patches);
    array_free(&writing.fixes);
    array_free(&writing.code);
    array_free(&writing.texts);
    return is_done || error_set_errno(error, path, "cannot be written");
}
