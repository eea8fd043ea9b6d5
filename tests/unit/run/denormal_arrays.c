/* The list of arrays for the tracer, from types and variables made by hand; and types that damaged debug
   information could have. */
#include "run/denormal/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct model model;

static uint32_t add_type(enum type_kind kind, const char *name, uint64_t bytes, uint32_t target)
{
    struct type row = {.program = 1, .kind = kind, .bytes = bytes, .target = target};
    row.name = name ? model_string(&model, name) : 0;
    *(struct type *)model_add(&model.types) = row;
    return model_last(&model.types);
}

static uint32_t add_number(const char *name, uint64_t bytes, enum number_format format)
{
    uint32_t id = add_type(type_kind_BASE, name, bytes, 0);
    model_type(&model, id)->number_format = format;
    return id;
}

static void add_dimension(uint32_t type, uint8_t position, int64_t count)
{
    *(struct dimension *)array_add(&model.dimensions) =
        (struct dimension){.type = type, .position = position, .count = count};
}

static void add_member(uint32_t type, uint32_t position, const char *name, uint32_t member_type,
                       uint64_t offset)
{
    struct member row = {.type = type, .position = position, .member_type = member_type, .offset = offset};
    row.name = name ? model_string(&model, name) : 0;
    *(struct member *)array_add(&model.members) = row;
}

static uint32_t add_variable(const char *name, enum variable_kind kind, uint32_t type, uint32_t function)
{
    struct variable row = {.program = 1, .unit = 1, .kind = kind, .type = type, .function = function};
    row.name = model_string(&model, name);
    *(struct variable *)model_add(&model.variables) = row;
    return model_last(&model.variables);
}

static void add_location(uint32_t variable, enum location_kind kind, int64_t value, const char *text)
{
    struct location row = {
        .variable = variable, .address = NO_ADDRESS, .end = NO_ADDRESS, .kind = kind, .value = value};
    string_id id = text ? model_string(&model, text) : 0;
    if (kind == location_kind_EXPRESSION)
        row.expression = id;
    else
        row.register_name = id;
    *(struct location *)model_add(&model.locations) = row;
}

static int start(void **state)
{
    (void)state;
    model_init(&model);
    struct program program = {.path = model_string(&model, "/nowhere/prog"), .has_debug = 1};
    *(struct program *)model_add(&model.programs) = program;
    struct unit unit = {.program = 1, .language = language_C};
    *(struct unit *)model_add(&model.units) = unit;
    struct function function = {
        .program = 1, .name = model_string(&model, "work"), .address = 0x1000, .size = 0x80};
    *(struct function *)model_add(&model.functions) = function;
    return 0;
}

static int end(void **state)
{
    (void)state;
    model_free(&model);
    return 0;
}

/* The list as a text, to be freed. */
static char *list(void)
{
    char path[] = "/tmp/assay-arrays-XXXXXX";
    struct error error = {0};
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_true(denormal_write_arrays(&model, NULL, path, &error));
    char *text = memory_get(1 << 20);
    assert_true(read(descriptor, text, (1 << 20) - 1) > 0);
    close(descriptor);
    unlink(path);
    return text;
}

static void assert_has(const char *text, const char *line)
{
    if (strstr(text, line))
        return;
    fputs("missing: ", stderr);
    fputs(line, stderr);
    fputs(text, stderr);
    fail();
}

static void globals_members_and_pointers(void **state)
{
    (void)state;
    uint32_t real = add_number("float", 4, number_format_FLOAT);
    uint32_t complex = add_number("complex double", 16, number_format_COMPLEX);
    uint32_t integer = add_number("int", 4, number_format_SIGNED);
    uint32_t plate = add_type(type_kind_ARRAY, NULL, 192, real);
    uint32_t waves = add_type(type_kind_ARRAY, NULL, 160, complex);
    uint32_t counts = add_type(type_kind_ARRAY, NULL, 40, integer);
    uint32_t pointer = add_type(type_kind_POINTER, NULL, 8, real);
    uint32_t grid = add_type(type_kind_STRUCT, "grid", 208, 0);
    uint32_t to_grid = add_type(type_kind_POINTER, NULL, 8, grid);
    uint32_t named = add_type(type_kind_TYPEDEF, "grid_t", 208, grid);
    add_dimension(plate, 1, 6);
    add_dimension(plate, 2, 8);
    add_dimension(waves, 1, 10);
    add_dimension(counts, 1, 10);
    add_member(grid, 1, "size", integer, 0);
    add_member(grid, 2, "velocity", pointer, 8);
    add_member(grid, 3, "weights", plate, 16);
    add_location(add_variable("plate", variable_kind_GLOBAL, plate, 0), location_kind_ADDRESS, 16384, NULL);
    add_location(add_variable("waves", variable_kind_STATIC, waves, 0), location_kind_ADDRESS, 17000, NULL);
    add_location(add_variable("counts", variable_kind_GLOBAL, counts, 0), location_kind_ADDRESS, 18000, NULL);
    add_location(add_variable("scalar", variable_kind_GLOBAL, real, 0), location_kind_ADDRESS, 18100, NULL);
    add_location(add_variable("whole", variable_kind_GLOBAL, named, 0), location_kind_ADDRESS, 19000, NULL);
    add_location(add_variable("reached", variable_kind_PARAMETER, to_grid, 1), location_kind_REGISTER, 0,
                 "rdi");
    add_location(add_variable("own", variable_kind_LOCAL, pointer, 1), location_kind_FRAME, -40, NULL);
    add_location(add_variable("gone", variable_kind_LOCAL, pointer, 1), location_kind_NONE, 0, NULL);
    add_location(add_variable("late", variable_kind_LOCAL, plate, 1), location_kind_EXPRESSION, 0,
                 "fbreg -72 deref");
    char *text = list();
    assert_has(
        text,
        "assay-arrays 1\nmodule /nowhere/prog\nfunction 0 0 -\nvariable 1 g plate\nplace 0 0 a 0 16384\n"
        "data -1 0 a 0 4 4 2 8 6 float\tplate\n");
    assert_has(text,
               "variable 2 s waves\nplace 0 0 a 0 17000\ndata -1 0 a 0 8 16 1 10 complex double\twaves\n");
    assert_has(text,
               "data -1 0 p 8 4 4 0 float\twhole.velocity\ndata -1 0 a 16 4 4 2 8 6 float\twhole.weights\n");
    assert_has(text, "function 1000 1080 work\n");
    assert_has(text, "variable 6 p reached\nplace 0 0 r 5 0\n");
    assert_has(text, "data 0 208 p 8 4 4 0 float\treached->velocity\n");
    assert_has(text, "data 0 208 a 16 4 4 2 8 6 float\treached->weights\n");
    assert_has(text, "variable 7 l own\nplace 0 0 f 0 -40\ndata -1 0 p 0 4 4 0 float\town\n");
    assert_has(text, "variable 9 l late\nplace 0 0 F 0 -72\n");
    assert_null(strstr(text, "counts"));
    assert_null(strstr(text, "scalar"));
    assert_null(strstr(text, "gone"));
    free(text);
}

static void descriptors_of_fortran(void **state)
{
    (void)state;
    model_unit(&model, 1)->language = language_FORTRAN;
    uint32_t real = add_number("real(kind=4)", 4, number_format_FLOAT);
    uint32_t allocatable = add_type(type_kind_ARRAY, NULL, 0, real),
             pointer = add_type(type_kind_ARRAY, NULL, 0, real);
    uint32_t fixed = add_type(type_kind_ARRAY, NULL, 192, real);
    model_type(&model, allocatable)->is_descriptor = model_type(&model, pointer)->is_descriptor = 1;
    model_type(&model, pointer)->is_associated = 1;
    add_dimension(allocatable, 1, -1);
    add_dimension(allocatable, 2, -1);
    add_dimension(pointer, 1, -1);
    add_dimension(fixed, 1, 6);
    add_dimension(fixed, 2, 8);
    add_location(add_variable("field", variable_kind_GLOBAL, allocatable, 0), location_kind_ADDRESS, 100,
                 NULL);
    add_location(add_variable("view", variable_kind_GLOBAL, pointer, 0), location_kind_ADDRESS, 200, NULL);
    uint32_t common = add_variable("c1", variable_kind_GLOBAL, fixed, 1);
    model_variable(&model, common)->common = model_string(&model, "block");
    add_location(common, location_kind_ADDRESS, 300, NULL);
    char *text = list();
    assert_has(text, "data -1 0 d 0 4 4 2 0 0 real(kind=4)\tfield\n");
    assert_has(text, "data -1 0 e 0 4 4 1 0 real(kind=4)\tview\n");
    assert_has(text, "variable 3 c c1\nplace 0 0 a 0 300\ndata -1 0 a 0 4 4 2 6 8 real(kind=4)\tc1\n");
    free(text);
}

/* Types that lead back to themselves by every way there is. */
static void types_that_lead_in_circles(void **state)
{
    (void)state;
    uint32_t real = add_number("float", 4, number_format_FLOAT);
    uint32_t alias = add_type(type_kind_TYPEDEF, "alias", 0, 0);
    model_type(&model, alias)->target = alias;
    uint32_t heap = add_type(type_kind_ARRAY, NULL, 100, 0);
    model_type(&model, heap)->target = heap;
    uint32_t nested = add_type(type_kind_STRUCT, "nested", 16, 0);
    uint32_t pointer = add_type(type_kind_POINTER, NULL, 8, 0);
    model_type(&model, pointer)->target = pointer;
    uint32_t many = add_type(type_kind_ARRAY, NULL, 160, nested);
    uint32_t beyond = add_type(type_kind_POINTER, NULL, 8, 4000000000u);
    add_dimension(heap, 1, 10);
    add_dimension(many, 1, 10);
    add_member(nested, 1, "self", nested, 0);
    add_member(nested, 2, "again", nested, 0);
    add_member(nested, 3, "many", many, 0);
    add_member(nested, 4, "value", real, 0);
    const uint32_t types[] = {alias, heap, nested, pointer, many, beyond, 4000000000u};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        add_location(add_variable("x", variable_kind_GLOBAL, types[i], 0), location_kind_ADDRESS, 100, NULL);
    char *text = list();
    assert_has(text, "assay-arrays 1\n");
    free(text);
}

static void names_cannot_break_lines(void **state)
{
    (void)state;
    uint32_t real = add_number("flo\nat", 4, number_format_FLOAT);
    uint32_t array = add_type(type_kind_ARRAY, NULL, 40, real);
    add_dimension(array, 1, 10);
    add_location(add_variable("a\nmodule /x\tb", variable_kind_GLOBAL, array, 0), location_kind_ADDRESS, 100,
                 NULL);
    char *text = list();
    assert_null(strstr(text, "\nmodule /x"));
    assert_has(text, "flo at\ta module /x b\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(globals_members_and_pointers, start, end),
        cmocka_unit_test_setup_teardown(descriptors_of_fortran, start, end),
        cmocka_unit_test_setup_teardown(types_that_lead_in_circles, start, end),
        cmocka_unit_test_setup_teardown(names_cannot_break_lines, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
