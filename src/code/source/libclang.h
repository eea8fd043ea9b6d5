/* The few functions and types of libclang that are used, declared here so that Assay can be built and run
   without it: libclang is loaded when a C or C++ source is to be read.  Layouts and numbers are those of its
   stable C interface; names are ours. */
#ifndef CODE_SOURCE_LIBCLANG_H
#define CODE_SOURCE_LIBCLANG_H
#include <stdbool.h>
#include <stddef.h>

struct clang_cursor {
    int kind, data;
    const void *pointers[3];
};
struct clang_type {
    int kind;
    void *pointers[2];
};
struct clang_string {
    const void *data;
    unsigned flags;
};
struct clang_location {
    const void *pointers[2];
    unsigned data;
};
struct clang_range {
    const void *pointers[2];
    unsigned begin, end;
};

enum clang_cursor_kind {
    cursor_UNEXPOSED_DECLARATION = 1,
    cursor_STRUCT = 2,
    cursor_UNION = 3,
    cursor_CLASS = 4,
    cursor_ENUM = 5,
    cursor_FIELD = 6,
    cursor_ENUMERATOR = 7,
    cursor_FUNCTION = 8,
    cursor_VARIABLE = 9,
    cursor_PARAMETER = 10,
    cursor_TYPEDEF = 20,
    cursor_METHOD = 21,
    cursor_NAMESPACE = 22,
    cursor_LINKAGE = 23,
    cursor_CONSTRUCTOR = 24,
    cursor_DESTRUCTOR = 25,
    cursor_CONVERSION = 26,
    cursor_FUNCTION_TEMPLATE = 30,
    cursor_CLASS_TEMPLATE = 31,
    cursor_CLASS_PARTIAL = 32,
    cursor_USING_DIRECTIVE = 34,
    cursor_UNEXPOSED = 100,
    cursor_NAME = 101,
    cursor_MEMBER = 102,
    cursor_CALL = 103,
    cursor_BLOCK = 105,
    cursor_PARENTHESES = 111,
    cursor_UNARY = 112,
    cursor_SUBSCRIPT = 113,
    cursor_BINARY = 114,
    cursor_COMPOUND_ASSIGNMENT = 115,
    cursor_CONDITIONAL = 116,
    cursor_TYPEID = 129,
    cursor_THIS = 132,
    cursor_SIZEOF = 136,
    cursor_LAMBDA = 144,
    cursor_COMPOUND = 202,
    cursor_IF = 205,
    cursor_SWITCH = 206,
    cursor_WHILE = 207,
    cursor_DO = 208,
    cursor_FOR = 209,
    cursor_GOTO = 210,
    cursor_INDIRECT_GOTO = 211,
    cursor_BREAK = 213,
    cursor_RETURN = 214,
    cursor_RANGE_FOR = 225,
    cursor_DECLARATION = 231
};

enum clang_type_kind {
    type_UNEXPOSED = 1,
    type_FIRST_WHOLE = 3, /* bool, and whole numbers of all sizes */
    type_LAST_WHOLE = 20,
    type_FLOAT = 21,
    type_LONG_DOUBLE = 23,
    type_DEPENDENT = 26,
    type_FLOAT128 = 30,
    type_FLOAT16 = 32,
    type_BFLOAT16 = 39,
    type_IBM128 = 40,
    type_COMPLEX = 100,
    type_POINTER = 101,
    type_LVALUE_REFERENCE = 103,
    type_RVALUE_REFERENCE = 104,
    type_FUNCTION = 110,
    type_FUNCTION_PROTOTYPE = 111,
    type_CONSTANT_ARRAY = 112,
    type_VECTOR = 113,
    type_INCOMPLETE_ARRAY = 114,
    type_VARIABLE_ARRAY = 115,
    type_DEPENDENT_ARRAY = 116,
    type_EXTENDED_VECTOR = 176
};

enum { storage_EXTERN = 2, storage_STATIC = 3, linkage_NONE = 1, linkage_INTERNAL = 2 };

/* A text that stands for a file. */
struct clang_unsaved {
    const char *path, *text;
    unsigned long size;
};

enum {
    severity_ERROR = 3,
    evaluated_WHOLE = 1,
    visit_CONTINUE = 1,
    visit_RECURSE = 2,
    parse_KEEP_GOING = 0x200
};

typedef int clang_visitor(struct clang_cursor cursor, struct clang_cursor parent, void *context);

struct libclang {
    void *(*create_index)(int, int);
    int (*parse)(void *index, const char *path, const char *const *words, int word_count, void *unsaved,
                 unsigned unsaved_count, unsigned options, void **unit);
    struct clang_cursor (*unit_cursor)(void *unit);
    unsigned (*visit)(struct clang_cursor, clang_visitor *, void *context);
    struct clang_type (*type)(struct clang_cursor);
    struct clang_type (*canonical)(struct clang_type);
    struct clang_type (*pointee)(struct clang_type);
    struct clang_type (*element)(struct clang_type);
    struct clang_type (*result)(struct clang_type);
    unsigned (*equal_types)(struct clang_type, struct clang_type);
    struct clang_string (*type_name)(struct clang_type);
    struct clang_cursor (*referenced)(struct clang_cursor);
    struct clang_cursor (*specialized)(struct clang_cursor);
    struct clang_cursor (*definition)(struct clang_cursor);
    int (*is_null)(struct clang_cursor);
    unsigned (*hash)(struct clang_cursor);
    unsigned (*equal)(struct clang_cursor, struct clang_cursor);
    struct clang_string (*name)(struct clang_cursor);
    const char *(*text)(struct clang_string);
    void (*free_string)(struct clang_string);
    int (*argument_count)(struct clang_cursor);
    struct clang_location (*location)(struct clang_cursor);
    struct clang_range (*extent)(struct clang_cursor);
    struct clang_location (*range_start)(struct clang_range);
    struct clang_location (*range_end)(struct clang_range);
    void (*expansion)(struct clang_location, void **file, unsigned *line, unsigned *column, unsigned *offset);
    void *(*file)(void *unit, const char *path);
    struct clang_string (*file_name)(void *file);
    int (*is_from_main_file)(struct clang_location);
    int (*equal_files)(void *, void *);
    const char *(*contents)(void *unit, void *file, size_t *size);
    unsigned (*diagnostic_count)(void *unit);
    void *(*diagnostic)(void *unit, unsigned index);
    int (*severity)(void *diagnostic);
    struct clang_location (*diagnostic_location)(void *diagnostic);
    struct clang_string (*diagnostic_text)(void *diagnostic);
    unsigned (*is_definition)(struct clang_cursor);
    int (*storage)(struct clang_cursor);
    int (*linkage)(struct clang_cursor);
    struct clang_string (*mangled)(struct clang_cursor);
    unsigned (*is_const)(struct clang_type);
    unsigned (*is_restrict)(struct clang_type);
    long long (*array_size)(struct clang_type);
    void *(*evaluate)(struct clang_cursor);
    int (*result_kind)(void *);
    long long (*result_number)(void *);
    void (*free_result)(void *);
    void (*presumed)(struct clang_location, struct clang_string *file, unsigned *line, unsigned *column);
    char path[4200]; /* of the library itself */
};

/* NULL where there is none; it is looked for once. */
const struct libclang *libclang_load(void);
#endif
