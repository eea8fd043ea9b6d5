/* Databases as files: bad ones are refused, new ones are written as a whole, large trees are right. */
#include "store_fixture.h"

#include "store/rows.h"

static void check_open_fails(const char *path, const char *words)
{
    struct error error = {0};
    struct store *store = store_open_file(path, &error);
    assert_null(store);
    if (!strstr(error.text, words) || !strstr(error.text, path))
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void test_bad_files(void **state)
{
    struct fixture *fixture = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/bad", fixture->directory);
    check_open_fails(path, "No such file");
    check_open_fails(fixture->directory, "not a file");
    assert_false(store_is_database(path));
    write_file(path, "", 0);
    check_open_fails(path, "not a database");
    write_file(path, "just text", 9);
    check_open_fails(path, "not a database");
    assert_false(store_is_database(path));

    size_t size;
    char *data = read_file(fixture->path, &size);
    assert_true(store_is_database(fixture->path));
    for (size_t cut = 16; cut < size; cut += size / 17) {
        write_file(path, data, cut);
        check_open_fails(path, cut < 72 ? "" : "truncated");
    }
    data[63]++;
    write_file(path, data, size);
    check_open_fails(path, "newer version");
    data[63]--;
    data[70]++;
    write_file(path, data, size);
    check_open_fails(path, "not written by Assay");
    free(data);
}

/* Damage anywhere is an error or a wrong value, never a crash. */
static void test_flipped_bits(void **state)
{
    struct fixture *fixture = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/flipped", fixture->directory);
    size_t size;
    char *data = read_file(fixture->path, &size);
    uint32_t random = 12345;
    for (unsigned round = 0; round < 150; round++) {
        random = random * 1664525 + 1013904223;
        /* Most bytes of a small database are free space: aim at the beginnings and ends of pages. */
        size_t page = (random >> 8) % (size / 16384), in_page = random >> 24 & 127;
        size_t at = page * 16384 + (random & 1 ? in_page : 16383 - in_page);
        data[at] ^= (char)(1 << (random >> 5 & 7));
        write_file(path, data, size);
        struct error error = {0};
        struct store *store = store_open_file(path, &error);
        static const char *const queries[] = {
            "select * from instructions", "select * from blocks where function = 1",
            "select * from functions where name = 'zebra'", "select * from edges"};
        for (unsigned i = 0; i < 4 && store; i++)
            free(answer(store, queries[i], NULL));
        assert_int_equal(store == NULL, error.set);
        store_close(store);
        data[at] ^= (char)(1 << (random >> 5 & 7));
    }
    free(data);
}

static unsigned count_files(const char *directory)
{
    unsigned count = 0;
    DIR *stream = opendir(directory);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static void test_writing(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/again.db", fixture->directory);
    write_file(path, "old", 3);
    assert_true(store_write(&fixture->model, path, 0, &error));
    size_t first_size, second_size;
    char *first = read_file(fixture->path, &first_size), *second = read_file(path, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    free(second);
    assert_int_equal(count_files(fixture->directory), 2);

    /* A failure leaves the old file and nothing else. */
    struct edge *edge = model_add(&fixture->model.edges);
    *edge = *model_edge(&fixture->model, 0);
    assert_false(store_write(&fixture->model, path, 0, &error));
    assert_non_null(strstr(error.text, "edges"));
    second = read_file(path, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    assert_int_equal(count_files(fixture->directory), 2);
    free(first);
    free(second);
    fixture->model.edges.count--;

    error = (struct error){0};
    assert_false(store_write(&fixture->model, fixture->directory, 0, &error));
    assert_non_null(strstr(error.text, "not a regular file"));
    error = (struct error){0};
    assert_false(store_write(&fixture->model, "/nowhere/at/all.db", 0, &error));
    assert_non_null(strstr(error.text, "/nowhere/at/all.db"));
}

/* Trees of several levels, records longer than a page, rows out of the order of their key. */
static void test_large_trees(void **state)
{
    struct fixture *fixture = *state;
    struct model *model = &fixture->model;
    static uint8_t bytes[300000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    for (uint32_t i = 1; i <= 400; i++) {
        uint32_t size = i * i > sizeof bytes ? sizeof bytes : i * i;
        *(struct gap *)model_add(&model->gaps) =
            (struct gap){.section = 1, .size = size, .bytes = {bytes, size}};
        char name[4000];
        memset(name, 'a' + i % 26, sizeof name);
        snprintf(name + 20 + i * 9, 16, "%u", i); /* ever longer, up to index entries that overflow */
        *(struct function *)model_add(&model->functions) =
            (struct function){.program = 1, .name = model_string(model, name), .address = (uint64_t)i << 55};
    }
    for (uint32_t i = 0; i < 120000; i++)
        *(struct edge *)model_add(&model->edges) =
            (struct edge){.source = 7 + i * 7919 % 120011, .target = i, .kind = edge_kind_SWITCH};
    ((struct edge *)model->edges.data)[6].target = 1; /* no empty key */
    for (uint32_t i = 0; i < 150000; i++)
        *(struct instruction *)model_add(&model->code) =
            (struct instruction){.block = 7, .offset = i, .encoding = 1 + i % 3, .target = NO_ADDRESS};
    struct error error = {0};
    store_close(fixture->file);
    store_close(fixture->memory);
    assert_true(store_write(model, fixture->path, 0, &error));
    fixture->file = store_open_file(fixture->path, &error);
    fixture->memory = store_open_model(model, &error);
    assert_non_null(fixture->file);
    check_answer(fixture->file, "pragma integrity_check", NULL, "3:ok|\n");
    check_same(fixture, "select count(*), sum(id), sum(offset), sum(block), sum(encoding) from code");
    check_same(fixture, "select count(*), sum(source), sum(target) from edges");
    check_same(fixture, "select id, size, bytes from gaps where id in (2, 100, 150, 401)");
    check_same(fixture, "select id, name from functions order by id");
    check_same(fixture, "select id, address from functions order by address, id");
    check_same(fixture, "select target from edges where source in (7, 100, 50000, 120017) order by 1");
    check_same(fixture, "select offset from code where id = 77777");
    check_same(fixture,
               "select b.id, a.id from functions a join functions b on b.name = a.name order by 1, 2");
}

static void test_order_of_extremes(void **state)
{
    struct fixture *fixture = *state;
    const struct table_description *table = table_named("operands");
    const struct table_column *columns[TABLE_KEY_MAX];
    assert_int_equal(table_columns_of_list(table, "value, displacement", columns), 2);
    uint32_t *order = rows_order(&fixture->model, table, columns, 2);
    /* values: MAX -129 MAX -258 MAX -387 */
    static const uint32_t expected[] = {5, 3, 1, 0, 2, 4};
    assert_non_null(order);
    assert_memory_equal(order, expected, sizeof expected);
    free(order);
    model_operand(&fixture->model, 0)->value = INT64_MIN;
    order = rows_order(&fixture->model, table, columns, 1);
    static const uint32_t spread[] = {0, 5, 3, 1, 2, 4};
    assert_memory_equal(order, spread, sizeof spread);
    free(order);
    assert_int_equal(table_columns_of_list(table, "encoding, position", columns), 2);
    assert_null(rows_order(&fixture->model, table, columns, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bad_files, start, stop),
        cmocka_unit_test_setup_teardown(test_flipped_bits, start, stop),
        cmocka_unit_test_setup_teardown(test_writing, start, stop),
        cmocka_unit_test_setup_teardown(test_large_trees, start, stop),
        cmocka_unit_test_setup_teardown(test_order_of_extremes, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
