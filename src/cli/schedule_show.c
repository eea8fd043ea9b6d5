/* assay schedule show and why: a ledger is read, and shown as text, picture, page or rows. --follow draws it
   again while a scheduler runs, on the terminal's other screen, and leaves the last state on the usual one.
 */
#include "base/output.h"
#include "cli/schedule.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "plan/schedule/engine.h"
#include "show/report/schedule/schedule.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { AROUND_CHART = 16, LEAST_LINES = 4, PAUSE_MS = 1000 };

static struct schedule_view *load(struct ledger *ledger, const struct invocation *invocation,
                                  struct error *error)
{
    struct array names = ARRAY_OF(const char *);
    for (size_t i = 1; i < invocation->operands.count; i++)
        *(const char **)array_add(&names) = options_operand(invocation, i);
    array_add(&names);
    autofree char *spool = schedule_spool(ledger_path(ledger));
    struct schedule_choice choice = {.engine = options_value(invocation, OPTION_ENGINE),
                                     .workflows = names.count > 1 ? names.data : NULL,
                                     .is_all = options_has(invocation, OPTION_ALL),
                                     .spool = spool,
                                     .is_attended = ledger_lock_holder(ledger) != 0,
                                     .with_decisions = options_has(invocation, OPTION_HTML_FILE) ||
                                                       options_has(invocation, OPTION_JSON),
                                     .now = NAN};
    struct schedule_view *view = schedule_view_load(ledger, &choice, error);
    array_free(&names);
    return view;
}

typedef bool draw_function(const struct schedule_view *view, FILE *out, struct error *error);

static bool write_file(const struct schedule_view *view, const char *path, draw_function *draw,
                       struct error *error)
{
    struct output *output = path ? output_open(path, error) : NULL;
    if (!output)
        return !path;
    if (draw(view, output_stream(output), error))
        return output_finish(output, error);
    output_abandon(output);
    return false;
}

/* --- while a scheduler runs --- */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* The screen as a text whose lines fit. */
static char *draw_screen(const struct schedule_view *view, const struct report_style *style, unsigned lines,
                         size_t *size, struct error *error)
{
    char *text = NULL;
    FILE *memory = open_memstream(&text, size), *safe = terminal_open(memory, style->color);
    unsigned room = lines > AROUND_CHART + LEAST_LINES ? lines - AROUND_CHART : LEAST_LINES;
    bool done = safe && report_schedule(view, style, room, safe, error);
    if (safe)
        fclose(safe);
    fclose(memory);
    if (done)
        return text;
    free(text);
    return NULL;
}

/* Line by line over the old text, so that nothing flickers; what does not fit is left out. */
static void put_screen(const char *text, size_t size, unsigned lines)
{
    fputs("\033[H", stdout);
    for (unsigned line = 1; size && line < lines; line++) {
        const char *end = memchr(text, '\n', size);
        size_t length = end ? (size_t)(end - text) : size;
        fwrite(text, 1, length, stdout);
        fputs("\033[K\r\n", stdout);
        length += end != NULL;
        text += length;
        size -= length;
    }
    fputs("\033[J", stdout);
    fflush(stdout);
}

/* Until nothing is left to do, no scheduler runs, or Ctrl-C. */
static bool follow(struct session *session, struct ledger *ledger, struct error *error)
{
    struct sigaction action = {.sa_handler = interrupt}, old_interrupt, old_end;
    sigaction(SIGINT, &action, &old_interrupt);
    sigaction(SIGTERM, &action, &old_end);
    fputs("\033[?1049h\033[?25l", stdout);
    bool done = true, is_over = false;
    while (done && !is_over && !is_interrupted) {
        struct winsize screen = {0};
        struct schedule_view *view = load(ledger, session->invocation, error);
        bool is_known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) && screen.ws_row;
        unsigned lines = is_known ? screen.ws_row : 24;
        size_t size = 0;
        if (is_known && screen.ws_col)
            session->style.width = screen.ws_col;
        autofree char *text = view ? draw_screen(view, &session->style, lines, &size, error) : NULL;
        done = text != NULL;
        if (done)
            put_screen(text, size, lines);
        is_over = view && schedule_view_is_done(view) && !ledger_lock_holder(ledger);
        schedule_view_free(view);
        if (done && !is_over && !is_interrupted)
            poll(NULL, 0, PAUSE_MS);
    }
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    sigaction(SIGINT, &old_interrupt, NULL);
    sigaction(SIGTERM, &old_end, NULL);
    return done;
}

/* --- the words --- */

static int show(struct session *session, struct ledger *ledger, struct error *error)
{
    const struct invocation *invocation = session->invocation;
    const char *picture = options_value(invocation, OPTION_GANTT),
               *page = options_value(invocation, OPTION_HTML_FILE);
    bool is_whole = options_has(invocation, OPTION_ALL);
    if (options_has(invocation, OPTION_FOLLOW) && session->terminal &&
        session->style.format == report_TABLE && !follow(session, ledger, error))
        return 2;
    struct schedule_view *view = load(ledger, invocation, error);
    bool done = view && write_file(view, picture, report_schedule_picture, error) &&
                write_file(view, page, report_schedule_page, error) &&
                report_schedule(view, &session->style, is_whole ? UINT32_MAX : 0, session->out, error);
    int code = !done ? 2 : schedule_view_has_trouble(view);
    schedule_view_free(view);
    return code;
}

static int with_ledger(const struct invocation *invocation,
                       int act(struct session *session, struct ledger *ledger, struct error *error),
                       struct error *error)
{
    struct session session;
    if (!session_begin(&session, invocation, error))
        return session_end(&session, 2, error);
    struct ledger *ledger = ledger_open(options_value(invocation, OPTION_LEDGER), false, error);
    int code = 2;
    if (ledger) {
        output_spare(ledger_path(ledger));
        code = act(&session, ledger, error);
    }
    ledger_close(ledger);
    return session_end(&session, code, error);
}

int schedule_show(const struct invocation *invocation, struct error *error)
{
    const char *engine = options_value(invocation, OPTION_ENGINE);
    if (engine && !engine_find(engine, error))
        return 2;
    return with_ledger(invocation, show, error);
}

static int why(struct session *session, struct ledger *ledger, struct error *error)
{
    const char *name = options_operand(session->invocation, 1);
    return report_schedule_why(ledger, name, &session->style, session->out, error) ? 0 : 2;
}

int schedule_why(const struct invocation *invocation, struct error *error)
{
    if (invocation->operands.count != 2) {
        error_set(error, NULL, "schedule why takes one task: assay schedule why WORKFLOW/TASK");
        return 2;
    }
    return with_ledger(invocation, why, error);
}
