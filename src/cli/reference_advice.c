/* docs/advice.md: every rule of the report with what it means and what to do, from the rules themselves. */
#include "cli/words.h"
#include "model/tables.h"
#include "quality/rules/rule.h"

static void write_rule(FILE *out, const struct rule *rule)
{
    fprintf(out,
            "\n## %s\n\n**%s.** %s\n\nLevel: %s. Example: [examples/advice/%s](../examples/advice/%s).\n\n",
            rule->name, rule->title, rule->meaning, advice_level_word(rule->level), rule->name, rule->name);
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
          "Made by `assay generate advice` from the rules in `src/quality/`: do not edit it here.\n\n"
          "What `assay report` can say, and what to do about it. The level is the usual one: a rule takes a "
          "lower one "
          "where the loop at hand makes it less sure to pay. Of the remedies a report shows those for the "
          "compiler and "
          "the language that were used, without options that are in force already.\n\n"
          "| rule | what is wrong |\n| --- | --- |\n",
          out);
    for (unsigned i = 0; i < quality_rule_count; i++)
        fprintf(out, "| [%s](#%s) | %s |\n", quality_rules[i]->name, quality_rules[i]->name,
                quality_rules[i]->title);
    for (unsigned i = 0; i < quality_rule_count; i++)
        write_rule(out, quality_rules[i]);
}
