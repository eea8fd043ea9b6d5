/* A rule looks at one path of a loop and reports what is wrong with it, or nothing.

   A rule is a file of this room named after it, with its texts as data and one pure function. It fires only
   with evidence, and gives a gain only if the model of the core can compute one. It ships with a pair of
   programs in examples/advice/NAME: one in which it fires, and one with its advice followed, in which it is
   silent and which is faster. A rule that fires without cause costs more trust than a missing one. */
#ifndef CODE_QUALITY_RULES_RULE_H
#define CODE_QUALITY_RULES_RULE_H
#include "code/quality/subject.h"

enum { MOST_REMEDIES = 10, LONGEST_REMARK = 1000 };

/* A remedy is offered only where it can help: one with an option is left out if that option is already in
   force, one with a precondition where that does not hold. Each pair of a rule and an action has an example
   in which it was followed and measured (tests/corpus). */
struct remedy {
    enum audience audience;
    const char *option; /* "-O3", "-march" …; NULL: a change of the source, or none in particular */
    const char *text;   /* one or two sentences; NULL ends the list */
    enum action action;
    bool (*holds)(const struct subject *subject); /* NULL: always */
};

struct remark {
    enum advice_level level; /* that of the rule, unless the rule changes it */
    double cycles;           /* of an iteration if the advice is followed; NaN: unknown */
    double native; /* if the code is compiled for this processor as well; NaN: no fewer, or unknown */
    double now;    /* of an iteration now; NaN: those of the path; set if those leave something out */
    bool is_upper; /* the cycles are a lower limit, so the gain is worded "up to": it depends on something
                      that the code does not show (trip count, dependence, how predictable a branch is) */
    char text[LONGEST_REMARK];
    struct array evidence;                    /* of uint32_t: items, each once, in order */
    const struct remedy *more[MOST_REMEDIES]; /* remedies of this remark alone, before those of the rule */
    unsigned more_count;
    const struct remedy *then[MOST_REMEDIES]; /* and after them */
    unsigned then_count;
};

struct rule {
    const char *name, *title, *meaning;
    enum advice_level level;
    bool is_shared; /* what it finds costs on every path through its evidence, and is reported for one */
    struct remedy remedies[MOST_REMEDIES];
    /* Returns whether it fires, and then fills the remark. The remark comes with its level, and NaN as
       cycles. */
    bool (*find)(const struct subject *subject, struct remark *remark);
};

/* Adds to the text, which is cut when there is no more room. */
void remark_say(struct remark *remark, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds an item to the evidence. */
void remark_point(struct remark *remark, unsigned item);
/* Adds a remedy of this remark alone, before those of the rule or after them; beyond MOST_REMEDIES none. */
void remark_advise(struct remark *remark, const struct remedy *remedy);
void remark_advise_later(struct remark *remark, const struct remedy *remedy);
/* "addition", "3 additions": a count with its noun, for remark_say; the buffer is the caller's. */
const char *remark_count(char *buffer, size_t size, unsigned count, const char *one, const char *many);

/* Every rule, in the order in which advice of one level is shown: rules.def names them. */
#define RULE(name) extern const struct rule rule_##name;
#include "code/quality/rules/rules.def"
#undef RULE
extern const struct rule *const quality_rules[];
extern const unsigned quality_rule_count;
#endif
