/* A model file in memory: what the parser makes, what the translation to code reads, and that code.

   Everything lives in the model's arena. Nesting is bounded when nodes are made (MOST_HEIGHT), so that later
   steps may recurse over them. */
#ifndef PLAN_MODELLING_LANGUAGE_SYNTAX_H
#define PLAN_MODELLING_LANGUAGE_SYNTAX_H
#include "base/strings.h"
#include "plan/modelling/language/language.h"
#include "plan/modelling/language/tokens.h"
#include "plan/modelling/language/units.h"

enum {
    MOST_HEIGHT = 500,       /* of an expression or of nested statements */
    MOST_LOCALS = 250,       /* names within one object */
    MOST_ARGUMENTS = 32,     /* of a call */
    MOST_INDICES = 3,        /* of a vector */
    MOST_ELEMENTS = 1 << 24, /* of a vector */
    MOST_PROBLEMS = 20,      /* that are told */
    MOST_RANKS = 1 << 24,
    LARGEST_FILE = 64 << 20,
    MOST_FILES = 100
};

enum node_kind {
    /* Expressions. */
    node_NUMBER,  /* number, in base units; `unit` its dimension */
    node_NAME,    /* a parameter, constant, local name, unit */
    node_ENTRY,   /* section.name of the hardware: `section` and `name` */
    node_SUM,     /* section(…): arguments, whose names are entries of the section */
    node_CALL,    /* name(arguments): a function, flow or built-in; as a statement a subtask or template */
    node_ELEMENT, /* name[arguments] */
    node_BINARY,  /* a operator b */
    node_UNARY,   /* operator a */
    node_CHOICE,  /* a ? b : c */
    node_LOOP_OF, /* loop "source":line of "program": `loop` */
    /* Statements. */
    node_BLOCK,   /* a: the first statement, linked by next */
    node_COMPUTE, /* a; text: its label */
    node_LET,     /* name = a */
    node_ASSIGN,  /* name = a */
    node_IF,      /* a; b; c: else */
    node_CHANCE,  /* if (probability a) b else c */
    node_WHILE,   /* a; b: as long as a is not 0 */
    node_FOR,     /* name from a to b: c; without a name: b times */
    node_MESSAGE, /* `activity`; `parts` by enum message_part, NULL where not given; of a receive `name` becomes the
                     sender and `section` the number in the message */
};

struct node {
    enum node_kind kind;
    struct place place;
    uint16_t height;
    uint16_t mark;       /* operator */
    uint16_t activity;   /* of MESSAGE */
    uint16_t purpose;    /* of COMPUTE: an activity_purpose */
    bool is_from_any;    /* of MESSAGE */
    bool is_pure;        /* a statement that only computes */
    bool has_chance;     /* has a CHANCE inside */
    bool has_assignment; /* has an ASSIGN inside */
    double number;
    struct dimension unit;
    string_id name, section, text;
    uint32_t loop;
    struct node *a, *b, *c, *next; /* arguments: a, linked by next */
    struct node **parts;
};

enum message_part {
    part_BYTES,
    part_OTHER_BYTES,
    part_PARTNER,
    part_TAG,
    part_REQUEST,
    part_COLUMNS,
    part_ROWS,
    part_CORNER,
    part_TILES,
    part_BEFORE,
    part_SECONDS,
    part_VALUE,
    MESSAGE_PARTS
};

enum symbol_kind {
    symbol_NONE,
    symbol_VALUE,    /* parameter, constant or entry of hardware: computed once */
    symbol_VECTOR,   /* elements, each computed once */
    symbol_FUNCTION, /* an expression */
    symbol_FLOW,     /* statements that only compute: worth their seconds */
    symbol_SUBTASK,
    symbol_TEMPLATE,
    symbol_APPLICATION,
    symbol_HARDWARE,
};

struct formal { /* parameter of a function, index of a vector */
    string_id name;
    struct place place;
    struct dimension unit;
    bool is_known;             /* unit was declared, or is that of the first call */
    struct node *first, *last; /* bounds of an index */
    struct symbol *bounds[2];  /* their values */
};

struct instruction {
    uint16_t operation; /* enum operation */
    uint16_t detail;
    int32_t target;
    struct place place;
    union {
        double number;
        struct symbol *symbol;
    };
};

enum memo_state { memo_UNKNOWN, memo_BUSY, memo_KNOWN };

struct symbol {
    enum symbol_kind kind;
    string_id name, says;
    struct place place;
    struct formal *formals;
    uint16_t formal_count;
    struct node *body; /* expression or block; NULL: a parameter without default, hardware */
    struct dimension unit;
    bool has_unit; /* declared */
    bool is_parameter, is_free;
    struct node *set; /* a parameter's other value, by --set */
    bool is_given;    /* the same by language_change */
    double given;
    /* Of the translation. */
    enum { compile_NOT_YET, compile_BUSY, compile_DONE } compiled;
    struct array code; /* of struct instruction */
    uint16_t locals;   /* slots, formals included */
    uint32_t cause;    /* of its statements without label */
    bool has_cause;
    /* What was computed; a vector has an element each. */
    double *values;
    uint8_t *states;
    size_t value_count;
    int64_t origin[MOST_INDICES], extent[MOST_INDICES];
};

struct language_model {
    struct arena arena;
    struct strings strings;
    struct array symbols;  /* of struct symbol *, by string_id; NULL: no such name */
    struct array order;    /* of struct symbol *: values that are parameters, in the order of the file */
    struct array all;      /* of struct symbol *: whatever has code or values */
    struct array files;    /* of char *: paths */
    struct array texts;    /* of char *: their texts */
    struct array problems; /* of struct language_problem */
    struct array causes;   /* of struct activity_cause */
    struct array loops;    /* of struct language_loop */
    struct symbol *application, *hardware;
    struct node *ranks;          /* expression; NULL: 1 */
    struct symbol *ranks_symbol; /* its value */
    string_id hardware_name, network_name;
    struct place hardware_place;
    bool has_chosen_hardware;                                     /* by --set */
    bool uses_rank, communicates, receives_from_any, is_prepared; /* by what the application does */
    unsigned compile_depth;
    size_t object_causes; /* causes that are objects, not labels */
    struct language_world world;
    uint32_t most_steps; /* of a walker; 0: as usual */
    struct trust *trust;
};

/* Notes a mistake; only the first few are kept. Returns false. */
bool language_mistake(struct language_model *model, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "file:line:column"; to be freed. */
char *language_where(const struct language_model *model, struct place place);
struct symbol *language_symbol(const struct language_model *model, string_id name);
struct symbol *language_entry(const struct language_model *model, string_id section, string_id name);
const char *language_text(const struct language_model *model, string_id id);
/* The name nearest to one that is not known, as " (did you mean x?)" or empty; to be freed. */
char *language_nearest(const struct language_model *model, const char *name);
/* A new symbol under a name; NULL and a mistake if the name is taken. */
struct symbol *language_declare(struct language_model *model, enum symbol_kind kind, string_id name,
                                struct place place);

/* parse.c: a text, into the model; mistakes are noted. */
void parse_file(struct language_model *model, uint16_t file, const char *text, size_t size);
/* parse.c: an expression alone; NULL: a mistake was noted. */
struct node *parse_value(struct language_model *model, uint16_t file, const char *text, size_t size);
/* compile.c: code for all objects; mistakes are noted. */
void compile_model(struct language_model *model);
bool compile_symbol(struct language_model *model, struct symbol *symbol);
/* walker.c: the value of an expression symbol without rank. */
bool walker_value(const struct language_model *model, struct symbol *symbol, double *value,
                  struct error *error);
/* language.c: reads a file that another one includes. */
void language_include(struct language_model *model, struct place place, const char *name);
#endif
