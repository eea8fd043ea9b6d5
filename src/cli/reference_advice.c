/* docs/advice.md: every rule of the report, what it means and what to do, from the rules themselves. */
#include "cli/words.h"
#include "model/tables.h"
#include "code/quality/rules/rule.h"

#include <string.h>

static void write_rule(FILE *out, const struct rule *rule)
{
    const char *family = strncmp(rule->name, "ia64-", strlen("ia64-")) ? "" : "-ia64";
    fprintf(
        out,
        "\n## %s\n\n**%s.** %s\n\nLevel: %s. Example: [examples/advice%s/%s](../examples/advice%s/%s).\n\n",
        rule->name, rule->title, rule->meaning, advice_level_word(rule->level), family, rule->name, family,
        rule->name);
    for (unsigned i = 0; i < MOST_REMEDIES && rule->remedies[i].text; i++) {
        const struct remedy *remedy = &rule->remedies[i];
        fputs("- ", out);
        if (remedy->audience != audience_ANY)
            fprintf(out, "%s: ", audience_word(remedy->audience));
        fprintf(out, "%s\n", remedy->text);
    }
}

void reference_write_advice(FILE *out)
{
    fputs("# Advice\n\n"
          "Made by `assay generate advice` from the rules in `src/code/quality/`: do not edit it here.\n\n"
          "All advice that `assay report` can give. The level shown is the usual one: a rule uses a lower "
          "one if the change is less certain to pay for the loop at hand. A report shows only the remedies "
          "for the compiler and the language that were used, and leaves out options that are already on.\n\n"
          "| rule | what is wrong |\n| --- | --- |\n",
          out);
    for (unsigned i = 0; i < quality_rule_count; i++)
        fprintf(out, "| [%s](#%s) | %s |\n", quality_rules[i]->name, quality_rules[i]->name,
                quality_rules[i]->title);
    for (unsigned i = 0; i < quality_rule_count; i++)
        write_rule(out, quality_rules[i]);
}
