/* The reading of a machine file, shared by the files that read its parts: machine.c the head, core.c the
   parts of the core, forms_read.c the forms.  Nobody else includes this.

   The text is one copy that the machine keeps, so that forms and names point into it.  Lines of forms, of
   which there are thousands, are taken apart in place; the others are split into words. */
#ifndef CODE_MACHINE_READING_H
#define CODE_MACHINE_READING_H
#include "code/machine/machine.h"

enum { MOST_WORDS = 64, LONGEST_LINE = 4096, NO_PORT = 255 };

/* A mnemonic of a heading `forms`, in the text of the file. */
struct mnemonic {
    const char *text;
    size_t length;
};

struct reading {
    struct machine *machine;
    const char *path;
    unsigned line;
    bool is_sibling; /* only forms and `like` count, and forms that are known already are passed over */
    char *words[MOST_WORDS];
    unsigned count;
    char *rest; /* of the line, after the first word */
    char seconds[MOST_TEMPLATES][4];
    unsigned second_count;
    uint8_t port_of[128];      /* by letter: number of a port, or NO_PORT */
    size_t first_form;         /* of this file, in machine.forms */
    char fuses[256];           /* the last list of branches, which the next line often repeats, */
    size_t fuses_length;       /* its length */
    struct form_run fuses_run; /* and where it was put */
    struct mnemonic mnemonics[MOST_MNEMONICS]; /* of the block `forms` */
    unsigned mnemonic_count;
    bool is_block;         /* lines that start with a blank belong to it; */
    bool is_heading;       /* its heading is not at its end */
    bool is_waiting;       /* operands were read whose figures follow; */
    bool has_figures;      /* there were some with figures before */
    size_t first_waiting;  /* form that has no figures yet: it and all after it; */
    bool has_waiting;      /* some of them is to get figures */
    char *text;            /* room for texts of forms of blocks, */
    size_t text_room;      /* and its size */
    const char *like;      /* the sibling that the file names; NULL for none */
    machine_source source; /* of the lines that follow, */
    float spread;          /* and of this line; NaN: not given */
    struct error *error;
};

/* Sets the error: what was expected, and the word that is there instead (NULL for none).  Returns false. */
bool reading_complain(struct reading *reading, const char *what, const char *word);
bool reading_complain_of(struct reading *reading, const char *what, const char *word, size_t length);
bool reading_number(struct reading *reading, const char *word, double *value);
/* The text of the line from words[word] on. */
const char *reading_text_from(const struct reading *reading, unsigned word);
/* A copy that lives as long as the machine. */
const char *reading_keep(struct reading *reading, const char *text);
/* The number of a port by its name, -1 where the line `ports` has none. */
int reading_port(const struct reading *reading, const char *name, size_t length);

/* A fact of the core: false with *is_known where the line is bad, *is_known false where it is none. */
bool core_read_fact(struct reading *reading, bool *is_known);
/* A line `form`: the text after that word, up to the end of the line, which may be written to. */
bool forms_read_line(struct reading *reading, char *at, char *end);
/* The same for a heading `forms`, for a line of its block, which starts with a blank, and for its end. */
bool forms_read_heading(struct reading *reading, char *at, char *end);
bool forms_read_in_block(struct reading *reading, char *at, char *end);
bool forms_end_block(struct reading *reading);
/* Room for the forms of a text of this size. */
void forms_expect(struct machine *machine, size_t text_size);
/* When all is read. */
void forms_finish(struct machine *machine);

/* Reads a file's text into a machine: head and forms, or only the forms that are still missing.  The machine
   takes the text, which has room for a zero at its end.  *like gets the sibling that the file names, or NULL.
 */
bool machine_read(struct machine *machine, const char *path, char *text, size_t size, bool is_sibling,
                  const char **like, struct error *error);
struct machine *machine_new(void);
/* Figures that follow from others, when all files are read. */
void machine_finish(struct machine *machine);
#endif
