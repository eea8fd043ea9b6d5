/* Programs with nodes (nodes_file.h): the plan is in the program.

   The notes of all loaded files are looked for before main.  Their subjects, one object after the other, make
   the plan, with room for objects that are loaded later; the recording gets a copy of each table, because
   there is no file that says what the subjects are.  Last of all the object's base is set: from then on its
   events have subjects. */
#include "runtime/probe/nodes_file.h"
#include "runtime/probe/probe.h"

#include <elf.h>

enum { LATER_SUBJECTS = 4096, MOST_OBJECTS = 4096, MOST_SUBJECTS = 1 << 24 };

static struct {
    const struct probe_node_table *table;
    uint32_t first;
    char module[PROBE_PATH_BYTES];
} * objects;
static uint32_t object_count;
static struct probe_plan_header header;
static struct probe_plan_subject *subjects;
static uint32_t subject_count;

static bool is_table(const struct probe_node_table *table, const struct maps *maps)
{
    uint64_t least = sizeof *table + (uint64_t)table->subject_count * sizeof(struct probe_node_subject);
    return table->version == PROBE_NODE_VERSION && table->isa == PROBE_OUR_ISA &&
           table->subject_count <= MOST_SUBJECTS && table->size >= least &&
           maps_has(maps, (uintptr_t)table, table->size);
}

/* Calls for each note of a module that is ours. */
typedef void visit_note(const struct module *module, const struct maps *maps,
                        const struct probe_node_table *table, uint32_t *base, void *context);

static void visit_notes(const struct module *module, const struct maps *maps, uintptr_t at, uintptr_t end,
                        visit_note *visit, void *context)
{
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        uintptr_t name = at + sizeof *note, data = name + ((note->n_namesz + 3ul) & ~3ul);
        uintptr_t next = data + ((note->n_descsz + 3ul) & ~3ul);
        if (next > end || next <= at)
            return;
        at = next;
        if (note->n_type != PROBE_NODE_NOTE_TYPE || note->n_namesz != sizeof PROBE_NODE_NOTE_NAME ||
            note->n_descsz != sizeof(struct probe_node_note) ||
            !bytes_equal((const void *)name, PROBE_NODE_NOTE_NAME, sizeof PROBE_NODE_NOTE_NAME))
            continue;
        const struct probe_node_note *ours = (const struct probe_node_note *)data;
        const struct probe_node_table *table =
            (const struct probe_node_table *)(data + (uintptr_t)(intptr_t)ours->table);
        uint32_t *base = (uint32_t *)(data + (uintptr_t)(intptr_t)ours->base);
        if (maps_has(maps, (uintptr_t)table, sizeof *table) && is_table(table, maps) &&
            maps_has(maps, (uintptr_t)base, sizeof *base))
            visit(module, maps, table, base, context);
    }
}

static void visit_module(const struct module *module, const struct maps *maps, visit_note *visit,
                         void *context)
{
    for (unsigned i = 0; i < module->segment_count; i++) {
        const ElfW(Phdr) *segment = &module->segments[i];
        uintptr_t start = module->bias + segment->p_vaddr;
        if (segment->p_type == PT_NOTE && maps_has(maps, start, segment->p_filesz))
            visit_notes(module, maps, start, start + segment->p_filesz, visit, context);
    }
}

static void count_subjects(const struct module *module, const struct maps *maps,
                           const struct probe_node_table *table, uint32_t *base, void *context)
{
    (void)module;
    (void)maps;
    (void)base;
    *(uint64_t *)context += table->subject_count;
}

static void count_module(const struct module *module, const struct maps *maps, void *context)
{
    visit_module(module, maps, count_subjects, context);
}

bool nodes_open(void)
{
    uint64_t count = 0;
    modules_each(count_module, &count);
    if (!count || count > MOST_SUBJECTS)
        return false;
    header.subjects.count = count + LATER_SUBJECTS;
    header.isa = PROBE_OUR_ISA;
    header.version = PROBE_PLAN_VERSION;
    subjects = system_memory(header.subjects.count * sizeof *subjects);
    objects = system_memory(MOST_OBJECTS * sizeof *objects);
    if (!subjects || !objects)
        return false;
    plan.header = &header;
    plan.subjects = subjects;
    plan.has_nodes = true;
    return true;
}

static void record(uint32_t object)
{
    const struct probe_node_table *table = objects[object].table;
    uint64_t table_at = sizeof(struct probe_subjects), name_at = table_at + table->size;
    size_t name_bytes = text_length(objects[object].module) + 1;
    struct probe_segment *segment = file_segment(name_at + name_bytes, 0, ANY_PLACE, NULL);
    if (!segment)
        return;
    struct probe_subjects *row = (struct probe_subjects *)(void *)segment;
    row->first = objects[object].first;
    row->count = table->subject_count;
    row->module = name_at;
    bytes_copy((uint8_t *)segment + table_at, table, table->size);
    bytes_copy((uint8_t *)segment + name_at, objects[object].module, name_bytes);
    file_finish(segment, PROBE_SEGMENT_SUBJECTS);
}

static void take_object(const struct module *module, const struct maps *maps,
                        const struct probe_node_table *table, uint32_t *base, void *context)
{
    (void)maps;
    (void)context;
    if (object_count == MOST_OBJECTS || header.subjects.count - subject_count < table->subject_count)
        return;
    const struct probe_node_subject *rows = (const struct probe_node_subject *)(table + 1);
    for (uint32_t i = 0; i < table->subject_count; i++)
        subjects[subject_count + i] = rows[i].how;
    size_t length = text_length(module->path);
    length = length < PROBE_PATH_BYTES ? length : PROBE_PATH_BYTES - 1;
    bytes_copy(objects[object_count].module, module->path, length);
    objects[object_count].module[length] = '\0';
    objects[object_count].table = table;
    objects[object_count].first = subject_count;
    record(object_count++);
    __atomic_store_n(base, subject_count * 16, __ATOMIC_RELEASE);
    subject_count += table->subject_count;
}

void nodes_take(const struct module *module, const struct maps *maps)
{
    visit_module(module, maps, take_object, NULL);
}

void nodes_record(void)
{
    for (uint32_t i = 0; i < object_count; i++)
        record(i);
}
