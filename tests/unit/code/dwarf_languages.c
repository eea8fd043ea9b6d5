/* The DWARF reader on C++ and Fortran, and on programs for the other instruction set. */
#include "able.h"
#include "dwarf_programs.h"

static const char fortran_text[] = "module grid\n"
                                   "  implicit none\n"
                                   "  real(8), allocatable :: field(:,:)\n"
                                   "  integer :: steps = 3\n"
                                   "  real(8), pointer :: view(:)\n"
                                   "  type cell\n"
                                   "     integer :: id\n"
                                   "     real(4) :: value(3)\n"
                                   "     character(len=8) :: tag\n"
                                   "  end type\n"
                                   "  type(cell) :: cells(10, 0:4)\n"
                                   "contains\n"
                                   "  subroutine relax(a, b, n, label)\n"
                                   "    real(8), intent(inout) :: a(:,:)\n"
                                   "    integer, intent(in) :: n\n"
                                   "    real(8), intent(in) :: b(n, -1:n)\n"
                                   "    character(len=*), intent(in) :: label\n"
                                   "    complex(8) :: z\n"
                                   "    logical :: flag\n"
                                   "    integer :: i, j\n"
                                   "    common /shared_block/ cx, cy(7)\n"
                                   "    real(4) :: cx, cy\n"
                                   "    z = (1d0, 2d0); flag = .true.\n"
                                   "    do j = 2, size(a,2)-1\n"
                                   "       do i = 2, size(a,1)-1\n"
                                   "          a(i,j) = 0.25d0*(a(i-1,j)+a(i+1,j)+b(i,j)) + cy(3)\n"
                                   "       end do\n"
                                   "    end do\n"
                                   "    if (flag) print *, label, real(z), cx\n"
                                   "  end subroutine\n"
                                   "end module\n"
                                   "program main\n"
                                   "  use grid\n"
                                   "  real(8) :: corner(5,-1:5)\n"
                                   "  integer, save :: counter = 7\n"
                                   "  allocate(field(5,5)); field = 1; corner = 2\n"
                                   "  cells(1,1)%id = counter\n"
                                   "  call relax(field, corner, 5, 'hello')\n"
                                   "end program\n";

static void check_fortran_descriptors(const struct model *model)
{
    const struct type *field = type_of(model, "field");
    assert_int_equal(field->kind, type_kind_ARRAY);
    assert_true(field->is_descriptor);
    assert_true(same(model, field->data_location, "push_object_address deref"));
    assert_non_null(strstr(model_text(model, field->allocated), "push_object_address deref"));
    for (unsigned i = 1; i <= 2; i++) {
        const struct dimension *dimension = dimension_of(model, field, i);
        char lower[100], upper[100];
        snprintf(lower, sizeof lower, "push_object_address plus_uconst %u deref", 48 + 24 * (i - 1));
        snprintf(upper, sizeof upper, "push_object_address plus_uconst %u deref", 56 + 24 * (i - 1));
        assert_true(dimension->count == -1);
        assert_true(same(model, dimension->lower_expression, lower));
        assert_true(same(model, dimension->count_expression, upper));
        assert_int_equal(dimension->count_kind, count_kind_UPPER_BOUND);
        assert_non_null(strstr(model_text(model, dimension->stride_expression), "push_object_address"));
    }
    assert_true(type_of(model, "view")->is_descriptor);
    assert_int_equal(dimension_of(model, type_of(model, "view"), 1)->count, -1);
    const struct type *assumed = type_of(model, "a");
    assert_true(assumed->is_descriptor && assumed->data_location);
    assert_int_equal(dimension_of(model, assumed, 1)->lower, 1);
    assert_int_equal(dimension_of(model, assumed, 2)->count, -1);
    const struct type *element = model_type(model, assumed->target);
    assert_int_equal(element->bytes, 8);
    assert_int_equal(element->number_format, number_format_FLOAT);
}

static void test_fortran(void **state)
{
    (void)state;
    if (!have("gfortran"))
        lacking("gfortran is not installed");
    write_text("test.f90", fortran_text);
    for (int version = 3; version <= 5; version++) {
        struct opened opened;
        assert_true(run("gfortran -g -gdwarf-%d -O0 test.f90 -o prog", version));
        assert_true(open_program(&opened, "prog", native()));
        const struct model *model = &opened.model;
        check_order(model);
        assert_int_equal(model->problems.count, 1);
        assert_int_equal(model_unit(model, 1)->language, language_FORTRAN);
        assert_non_null(symbol_named(model, "__grid_MOD_relax"));
        check_fortran_descriptors(model);

        const struct type *cells = type_of(model, "cells");
        assert_int_equal(dimension_of(model, cells, 1)->lower, 1);
        assert_int_equal(dimension_of(model, cells, 1)->count, 10);
        assert_int_equal(dimension_of(model, cells, 2)->lower, 0);
        assert_int_equal(dimension_of(model, cells, 2)->count, 5);
        const struct type *cell = model_type(model, cells->target);
        assert_int_equal(cells->bytes, 50 * cell->bytes);
        assert_true(same(model, member_of(model, cell, 2)->name, "value"));
        assert_int_equal(model_type(model, member_of(model, cell, 3)->member_type)->kind, type_kind_STRING);
        assert_int_equal(model_type(model, member_of(model, cell, 3)->member_type)->bytes, 8);

        const struct type *b = type_of(model, "b"); /* explicit shape, bounds at run time */
        assert_false(b->is_descriptor);
        assert_int_equal(dimension_of(model, b, 2)->lower, -1);
        assert_true(dimension_of(model, b, 1)->count == -1 && dimension_of(model, b, 1)->count_expression);
        assert_int_equal(dimension_of(model, type_of(model, "corner"), 2)->count, 7);
        const struct type *label = type_of(model, "label");
        assert_int_equal(label->kind, type_kind_STRING);
        assert_true(dimension_of(model, label, 1)->count_expression != 0);
        assert_int_equal(dimension_of(model, label, 1)->count_kind, count_kind_PLACE_OF_LENGTH);
        assert_int_equal(type_of(model, "z")->number_format, number_format_COMPLEX);
        assert_int_equal(type_of(model, "flag")->number_format, number_format_BOOLEAN);

        const struct variable *member = variable_named(model, "cy");
        assert_true(same(model, member->common, "shared_block"));
        assert_int_equal(member->kind, variable_kind_GLOBAL);
        assert_int_equal(location_of(model, member)->value,
                         location_of(model, variable_named(model, "cx"))->value + 4);
        assert_int_equal(variable_named(model, "steps")->kind, variable_kind_GLOBAL);
        assert_int_equal(variable_named(model, "counter")->kind, variable_kind_STATIC);
        close_program(&opened);
    }
    struct opened opened;
    assert_true(run("gfortran -g -gdwarf-4 -O2 test.f90 -o prog"));
    assert_true(open_program(&opened, "prog", native()));
    compare_with_addr2line(&opened, "prog", "addr2line");
    close_program(&opened);
}

static const char cpp_text[] =
    "namespace shapes {\n"
    "struct base { int id; virtual double area() const { return id; } virtual ~base() {} };\n"
    "template <typename T> struct square : base { T side; static int made; square(T s) : side(s) { made++; "
    "}\n"
    "    double area() const override { return side * side; } };\n"
    "template <typename T> int square<T>::made;\n"
    "}\n"
    "static inline double twice(const shapes::square<double> &s) { return 2 * s.side; }\n"
    "double total(shapes::square<double> *all, int n)\n"
    "{\n"
    "    double sum = 0;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        sum += twice(all[i]);\n"
    "    return sum;\n"
    "}\n"
    "shapes::square<double> one(3);\n"
    "int main(int argc, char **)\n"
    "{\n"
    "    return (int)(total(&one, 1) + one.area() + argc + shapes::square<double>::made);\n"
    "}\n";

static void test_cplusplus(void **state)
{
    (void)state;
    static const char *const options[] = {"", "-fdebug-types-section"};
    write_text("test.cpp", cpp_text);
    if (!have("g++"))
        lacking("g++ is not installed");
    for (int i = 0; i < 4; i++) {
        struct opened opened;
        assert_true(run("g++ -g -gdwarf-%d -O1 %s test.cpp -o prog", 4 + i / 2, options[i % 2]));
        assert_true(open_program(&opened, "prog", native()));
        const struct model *model = &opened.model;
        check_order(model);
        assert_int_equal(model->problems.count, 1);
        assert_int_equal(model_unit(model, 1)->language, language_CPLUSPLUS);
        assert_non_null(symbol_named(model, "_Z5totalPN6shapes6squareIdEEi"));
        bool found = false;
        for (uint32_t j = 1; j < model->inlined_calls.count; j++) {
            const struct inlined_call *call = model_inlined_call(model, j);
            if (!model_text(model, call->name) || !strstr(model_text(model, call->name), "twice"))
                continue;
            found = true;
            assert_int_equal(call->call_line, 12);
            assert_int_equal(call->line, 7);
            assert_true(call->function_address ==
                        symbol_named(model, "_Z5totalPN6shapes6squareIdEEi")->address);
        }
        assert_true(found);
        const struct variable *made = variable_named(model, "made");
        assert_int_equal(location_of(model, made)->kind, location_kind_ADDRESS);
        const struct type *square = type_of(model, "one");
        assert_int_equal(square->kind, type_kind_STRUCT);
        assert_true(same(model, square->name, "square<double>"));
        assert_int_equal(square->bytes, 24);
        assert_true(member_of(model, square, 1)->name == 0); /* inheritance */
        const struct type *base = model_type(model, member_of(model, square, 1)->member_type);
        assert_true(same(model, base->name, "base"));
        assert_true(same(model, member_of(model, square, 2)->name, "side"));
        assert_int_equal(member_of(model, square, 2)->offset, 16);
        /* the same row whether it is reached as a pointer's target or by value */
        const struct type *all = type_of(model, "all");
        assert_ptr_equal(model_type(model, all->target), square);
        close_program(&opened);
    }
}

static const char c_text[] = "static inline int inner(int a, int b)\n"
                             "{\n"
                             "    return a * b + 1;\n"
                             "}\n"
                             "static inline int outer(int a, int b)\n"
                             "{\n"
                             "    return inner(a, b) ^ inner(b, b);\n"
                             "}\n"
                             "double scale = 2;\n"
                             "double work(int n, double x, double *data)\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        x += data[i] * outer(i, n);\n"
                             "    return x * scale;\n"
                             "}\n";

static void check_cross(const char *compiler, const char *tool, enum isa isa, const char *integer,
                        const char *number)
{
    if (!have(compiler) || !have(tool))
        lacking("the compilers for the other instruction set are not installed");
    write_text("cross.c", c_text);
    for (int version = 4; version <= 5; version++) {
        struct opened opened;
        assert_true(
            run("%s -g -gdwarf-%d -O2 -shared -fPIC -nostdlib cross.c -o cross.so", compiler, version));
        assert_true(open_program(&opened, "cross.so", isa));
        const struct model *model = &opened.model;
        check_order(model);
        assert_int_equal(model->problems.count, 1);
        assert_true(compare_with_addr2line(&opened, "cross.so", tool) > 10);
        const struct location *n = location_of(model, variable_named(model, "n"));
        const struct location *x = location_of(model, variable_named(model, "x"));
        assert_int_equal(n->kind, location_kind_REGISTER);
        assert_true(same(model, n->register_name, integer));
        assert_true(same(model, x->register_name, number));
        close_program(&opened);
    }
}

static void test_aarch64(void **state)
{
    (void)state;
    check_cross("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-addr2line", isa_AARCH64, "x0", "v0");
}

static void test_x86_64(void **state)
{
    (void)state;
    check_cross("x86_64-linux-gnu-gcc", "x86_64-linux-gnu-addr2line", isa_X86_64, "rdi", "xmm0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fortran),
        cmocka_unit_test(test_cplusplus),
        cmocka_unit_test(test_aarch64),
        cmocka_unit_test(test_x86_64),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
