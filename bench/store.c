/* bench-store PATH [FUNCTIONS]: a made-up program of the size and shape of a large shared library (with 75000
   functions: 14 million instructions) is written as a database; prints the processor time of the write and of
   typical queries, on the file and on the model in memory. Needs no input, so it measures store/ alone. */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { BLOCKS = 27, INSTRUCTIONS = 7, ENCODINGS = 390000, BYTES = 4 };

/* Processor time: it is the same on a busy machine. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) * limit >> 32);
}

static void add_encodings(struct model *model)
{
    static const char *const names[] = {"mov",  "lea",    "add",  "cmp",  "je",
                                        "call", "vaddpd", "setf", "test", "jne"};
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "r%u", i);
        struct register_ *row = model_add(&model->registers);
        *row = (struct register_){
            .isa = isa_X86_64, .name = model_string(model, name), .bits = 64, .full = i + 1};
    }
    for (uint32_t i = 1; i <= ENCODINGS; i++) {
        const char *name = names[random_below(10)];
        char text[64];
        snprintf(text, sizeof text, "%s rax, qword ptr [rbx+%u]", name, i);
        struct encoding *encoding = model_add(&model->encodings);
        *encoding = (struct encoding){.isa = isa_X86_64,
                                      .name = model_string(model, name),
                                      .text = model_string(model, text),
                                      .size = BYTES,
                                      .load_bytes = 8};
        for (uint8_t p = 1; p <= 2 + i % 2 / 1 * (i % 3 == 0); p++)
            *(struct operand *)model_add(&model->operands) = (struct operand){
                .encoding = i, .position = p, .bits = 64, .register_ = 1 + random_below(200)};
        uint32_t first = 1 + random_below(150);
        for (uint32_t r = 0; r < 3 + (i % 5 > 0); r++)
            *(struct register_use *)model_add(&model->register_uses) =
                (struct register_use){.encoding = i, .register_ = first + r * 10};
    }
}

static void add_block(struct model *model, uint32_t function, uint32_t position, uint64_t *address,
                      const uint8_t *bytes)
{
    uint32_t id = (uint32_t)model->blocks.count, count = 1 + random_below(2 * INSTRUCTIONS - 1);
    struct block *block = model_add(&model->blocks);
    *block = (struct block){.function = function,
                            .position = position,
                            .section = 1,
                            .address = *address,
                            .size = count * BYTES,
                            .first_instruction = (uint32_t)model->code.count,
                            .instruction_count = count,
                            .ends = block_end_BRANCH,
                            .is_reachable = 1,
                            .dominator = position > 1 ? id - 1 : 0,
                            .dom_enter = 2 * position,
                            .dom_leave = 4 * BLOCKS - 2 * position,
                            .bytes = {bytes + *address % 65536, count * BYTES}};
    for (uint32_t i = 0; i < count; i++)
        *(struct instruction *)model_add(&model->code) =
            (struct instruction){.block = id,
                                 .offset = i * BYTES,
                                 .encoding = 1 + random_below(random_below(4) ? 4000 : ENCODINGS),
                                 .target = random_below(3) ? NO_ADDRESS : *address + random_below(1 << 24)};
    *address += count * BYTES;
    if (position < BLOCKS) {
        *(struct edge *)model_add(&model->edges) = (struct edge){.source = id, .target = id + 1};
        if (id % 2)
            *(struct edge *)model_add(&model->edges) =
                (struct edge){.source = id, .target = id + 2, .kind = edge_kind_TAKEN};
    }
}

static void add_functions(struct model *model, uint32_t functions, const uint8_t *bytes)
{
    uint64_t address = 0x1000000;
    *(struct program *)model_add(&model->programs) = (struct program){.isa = isa_X86_64, .bits = 64};
    *(struct section *)model_add(&model->sections) = (struct section){.program = 1, .is_code = 1};
    for (uint32_t f = 1; f <= functions; f++) {
        char name[128];
        snprintf(name, sizeof name, "_ZN4llvm%u%usome_class_of_some_length%uEPKNS_8FunctionERNS_15AnalysisE",
                 f % 977, f % 13, f);
        struct function *function = model_add(&model->functions);
        *function = (struct function){.program = 1,
                                      .section = 1,
                                      .name = model_string(model, name),
                                      .address = address,
                                      .first_block = (uint32_t)model->blocks.count,
                                      .block_count = BLOCKS};
        for (uint32_t b = 1; b <= BLOCKS; b++)
            add_block(model, f, b, &address, bytes);
        add_block(model, 0, 1, &address, bytes); /* padding */
        uint32_t calls = random_below(13), at = (uint32_t)model->code.count - 100;
        for (uint32_t c = 0; c < calls && f > 10; c++)
            *(struct call *)model_add(&model->calls) =
                (struct call){.caller = f, .callee = 1 + random_below(functions), .instruction = at + c};
    }
}

static void ask(struct store *store, const char *where, const char *sql)
{
    struct store_choice choice = {.function = 777};
    struct error error = {0};
    sqlite3_stmt *statement = NULL;
    double start = now();
    size_t rows = 0;
    if (store_prepare(store, sql, &choice, &statement, &sql, &error))
        while (sqlite3_step(statement) == SQLITE_ROW)
            rows++;
    if (error.set || sqlite3_errcode(store_connection(store)) != SQLITE_DONE)
        printf("  FAILED: %s %s\n", error.text, sqlite3_errmsg(store_connection(store)));
    printf("  %s %8.1f ms %8zu rows  %.100s\n", where, 1e3 * (now() - start), rows, sqlite3_sql(statement));
    sqlite3_finalize(statement);
}

static void ask_all(struct store *store, const char *where)
{
    static const char *const questions[] = {
        "select 'No of setf : ' || count(*) from blocks, instructions where blocks.function=FUNCTION and "
        "instructions.block=blocks.id and instructions.name='setf';",
        "select 'Size: ' || size || ' Number: ' || count(*) from (select blocks.name, count(*) as size from "
        "blocks, "
        "instructions where instructions.block=blocks.id and blocks.function=FUNCTION group by blocks.name "
        "order by "
        "size) group by size;",
        "select * from instructions where id = 12345",
        "select * from instructions where block = 12345",
        "select * from instructions where function = FUNCTION",
        "select * from instructions order by id limit 10",
        "select count(*) from code",
        "select encoding, count(*) from code group by encoding",
        "select name, count(*) from instructions group by name",
        "select class, sum(load_bytes) from instructions where is_vector = 0 group by class",
        "select * from instruction_operands where instruction = 5000",
        "select * from call_graph_by_name limit 100",
        "select * from functions where name = 'main'",
        "select * from blocks where address = 17000000",
    };
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        ask(store, where, questions[i]);
}

int main(int count, char **arguments)
{
    uint32_t functions = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 75000;
    if (count < 2 || !functions) {
        fputs("usage: bench-store PATH [FUNCTIONS]\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct model model;
    struct error error = {0};
    model_init(&model);
    uint8_t *bytes = memory_get(1 << 17);
    add_encodings(&model);
    add_functions(&model, functions, bytes);
    printf("%zu instructions, %zu blocks, %zu edges, %zu operands, %zu register uses, %zu calls\n",
           model.code.count, model.blocks.count, model.edges.count, model.operands.count,
           model.register_uses.count, model.calls.count);
    double start = now();
    if (!store_write(&model, arguments[1], 0, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    struct stat file;
    stat(arguments[1], &file);
    printf("written in %.2f s, %.1f MB\n", now() - start, (double)file.st_size / 1e6);
    struct store *store = store_open_file(arguments[1], &error);
    if (store)
        ask_all(store, "file  ");
    store_close(store);
    if (store)
        store = store_open_model(&model, &error);
    if (store)
        ask_all(store, "memory");
    if (error.set)
        fprintf(stderr, "%s\n", error.text);
    store_close(store);
    model_free(&model);
    free(bytes);
    return error.set ? 2 : 0;
}
