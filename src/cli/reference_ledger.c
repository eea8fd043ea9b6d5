/* docs/ledger.md: every table of the ledger, from the definitions that the program uses, and questions that
   can be asked of them. */
#include "cli/words.h"
#include "ledger/ledger.h"

#include <string.h>

static const struct {
    const char *title, *says, *sql;
} questions[] = {
    {"Why did my task wait?",
     "Everything that was decided about it, in order; `assay schedule why flow/align` prints the same in "
     "words",
     "select datetime(d.time, 'unixepoch', 'localtime') as at, d.kind, d.reason\n"
     "  from decisions d join tasks t on t.id = d.task join workflows w on w.id = t.workflow\n"
     " where w.name = 'flow' and t.name = 'align' order by d.time, d.id;"},
    {"How long did tasks wait, and how long did they run?",
     "From submission to the first start, and from there to the end",
     "select w.name as workflow, t.name as task, min(a.started) - w.submitted as waited,\n"
     "       max(a.ended) - min(a.started) as ran, count(a.id) as attempts\n"
     "  from tasks t join workflows w on w.id = t.workflow join attempts a on a.task = t.id\n"
     " group by t.id order by waited desc limit 20;"},
    {"How good are my predictions?", "The last answer before each run; `assay predict --history` draws it",
     "select d.name, count(*) as runs, avg(abs(p.seconds / r.seconds - 1)) as mean_error,\n"
     "       max(abs(p.seconds / r.seconds - 1)) as worst_error,\n"
     "       avg(r.seconds >= p.lower and r.seconds <= coalesce(p.upper, r.seconds)) as held\n"
     "  from runs r join predictors d on d.id = r.predictor join predictions p on p.id =\n"
     "       (select q.id from predictions q where q.predictor = r.predictor and q.inputs = r.inputs\n"
     "         and q.host = r.host and q.processors = r.processors and q.is_final and q.made <= r.made\n"
     "         order by q.made desc limit 1)\n"
     " group by d.name;"},
    {"How good were the scheduler's estimates?", "Expected and real times of tasks that ended well",
     "select t.estimate_from, count(*) as tasks, avg(abs(a.expected / (a.ended - a.started) - 1)) as "
     "mean_error\n"
     "  from attempts a join tasks t on t.id = a.task\n"
     " where a.state = 'done' and a.ended > a.started group by t.estimate_from;"},
    {"Which host idled most?", "Busy share of its processors between its first and its last task",
     "select h.name, h.processors, sum((a.ended - a.started) * x.processors) as busy_seconds,\n"
     "       sum((a.ended - a.started) * x.processors) / (h.processors * (max(a.ended) - min(a.started))) as "
     "busy\n"
     "  from attempt_hosts x join attempts a on a.id = x.attempt join hosts h on h.id = x.host\n"
     " where a.ended > a.started group by h.id order by busy;"},
    {"What failed, and where?", "With the name of the folder that has its output",
     "select w.name as workflow, t.name as task, a.exit_status, a.problem, h.name as host, a.tag\n"
     "  from attempts a join tasks t on t.id = a.task join workflows w on w.id = t.workflow\n"
     "  left join attempt_hosts x on x.attempt = a.id left join hosts h on h.id = x.host\n"
     " where a.state in ('failed', 'lost') order by a.ended;"},
};

static void write_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            putc('\\', out);
        putc(*text, out);
    }
}

static void write_table(FILE *out, const struct ledger_table *table)
{
    fprintf(out, "\n### %s\n\n%s%s\n\n| column | type | meaning |\n| --- | --- | --- |\n", table->name,
            table->doc, strchr(".?!", table->doc[strlen(table->doc) - 1]) ? "" : ".");
    for (unsigned i = 0; i < table->count; i++) {
        static const char *const types[][2] = {{"INTEGER", "integer"}, {"REAL", "real"}, {"TEXT", "text"}};
        const char *type = table->columns[i].type;
        for (unsigned k = 0; k < sizeof types / sizeof *types; k++)
            if (!strcmp(type, types[k][0]))
                type = types[k][1];
        fprintf(out, "| `%s` | %s | ", table->columns[i].name, type);
        write_cell(out, table->columns[i].doc);
        fputs(" |\n", out);
    }
}

void reference_write_ledger(FILE *out)
{
    fputs(
        "# The ledger\n\n"
        "Made by `assay generate ledger` from `src/ledger/tables.def`: do not edit it here.\n\n"
        "`assay predict` and `assay schedule` keep what they learn, decide and do in one file that grows "
        "from run "
        "to run: an SQLite database in WAL mode. It is `--ledger FILE`, else `$ASSAY_LEDGER`, else "
        "`assay/ledger.db` in your data folder (`$XDG_DATA_HOME`, or `~/.local/share`). Any number of "
        "commands may "
        "read it and add to it at once; only one scheduler runs on it at a time. A command that is killed "
        "loses at "
        "most what it had not yet stored.\n\n"
        "`assay sql LEDGER` asks it, and so does any other SQLite client. Times are seconds since 1970 (of a "
        "simulated cluster: since the beginning of the simulation), durations are seconds. NULL means "
        "unknown or "
        "not applicable. To forget everything, delete the file while nothing uses it.\n\n## Questions\n",
        out);
    for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++)
        fprintf(out, "\n### %s\n\n%s:\n\n```sql\n%s\n```\n", questions[i].title, questions[i].says,
                questions[i].sql);
    fputs("\n## Tables\n\n| table | contents |\n| --- | --- |\n", out);
    for (unsigned i = 0; i < ledger_table_count; i++)
        fprintf(out, "| [%s](#%s) | %s |\n", ledger_tables[i].name, ledger_tables[i].name,
                ledger_tables[i].doc);
    for (unsigned i = 0; i < ledger_table_count; i++)
        write_table(out, &ledger_tables[i]);
}
