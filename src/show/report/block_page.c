/* What a person sends to another one: both texts with their costs, and what became of each part of the core.
   Nothing outside of the page is needed to read it. */
#include "show/report/block_figures.h"

#include "model/tables.h"
#include "show/report/common/html.h"
#include "show/report/port_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char report_block_page_style[], report_block_page_policy[];

enum { BEFORE, NOW };

static void print_difference(FILE *out, double before, double now)
{
    if (!isfinite(before) || !isfinite(now))
        return;
    double share = before > 0 ? (now - before) / before * 100 : 0;
    const char *class = now < before - 0.005   ? " class=\"gain\""
                        : now > before + 0.005 ? " class=\"loss\""
                                               : "";
    fprintf(out, "<div><dt>Difference</dt><dd%s>%+.2f (%+.1f %%)</dd></div>\n", class, now - before, share);
}

static void print_key(FILE *out, const char *name, double value, int decimals)
{
    fprintf(out, "<div><dt>%s</dt><dd>", name);
    if (isfinite(value))
        fprintf(out, "%.*f", decimals, value);
    else
        fputs("–", out);
    fputs("</dd></div>\n", out);
}

static void print_head(const struct block_page *page, FILE *out)
{
    const struct block_figures *now = &page->of[NOW];
    html_format(out, "<p class=\"kicker\">What if</p>\n<h1>%s</h1>\n<dl class=\"facts\">\n", page->title);
    if (page->place)
        html_format(out, "<dt>Source</dt><dd><code>%s</code></dd>\n", page->place);
    html_format(out, "<dt>Machine</dt><dd>%s (<code>%s</code>)</dd>\n",
                now->machine->title ? now->machine->title : now->machine->name, now->machine->name);
    if (page->version)
        html_format(out, "<dt>Made by</dt><dd>Assay %s</dd>\n", page->version);
    fputs("</dl>\n", out);
}

static void print_answer(const struct block_page *page, FILE *out)
{
    const struct block_figures *before = &page->of[BEFORE], *now = &page->of[NOW];
    double cycles[2] = {before->refusal ? NAN : before->path.cycles,
                        now->refusal ? NAN : now->path.cycles / page->copies};
    fputs("<dl class=\"keys\">\n", out);
    print_key(out, "Cycles per iteration now", cycles[NOW], 2);
    print_key(out, "Before", cycles[BEFORE], 2);
    print_difference(out, cycles[BEFORE], cycles[NOW]);
    if (now->path.limit)
        fprintf(out, "<div><dt>Limit now</dt><dd>%s</dd></div>\n", core_part_word(now->path.limit));
    if (before->path.limit)
        fprintf(out, "<div><dt>Limit before</dt><dd>%s</dd></div>\n", core_part_word(before->path.limit));
    print_key(out, "Instructions per cycle", now->path.instruction_count / now->path.cycles, 2);
    print_key(out, "Bytes", now->bytes, 0);
    fputs("</dl>\n", out);
    for (unsigned side = BEFORE; side <= NOW; side++)
        if (page->of[side].refusal)
            html_format(out, "<p class=\"lead\">No cycles %s: %s.</p>\n", side == NOW ? "now" : "before",
                        page->of[side].refusal);
    if (now->path.next && !now->refusal)
        fprintf(out, "<p class=\"lead\">Without the limit it would take %.2f cycles (%s).</p>\n",
                now->path.next_cycles / page->copies, core_part_word(now->path.next));
    if (page->copies > 1)
        fprintf(out, "<p class=\"lead\">The changed text has %u iterations; all figures are of one.</p>\n",
                page->copies);
}

static void print_pair(FILE *out, double before, double now, double most)
{
    fputs("<td class=\"room\">", out);
    html_bar(out, "", most > 0 ? before / most : 0);
    html_bar(out, "now", most > 0 ? now / most : 0);
    fprintf(out, "</td><td class=\"figure\">%.2f</td><td class=\"figure\">%.2f</td></tr>\n", before, now);
}

static void print_parts(const struct block_page *page, FILE *out)
{
    const double *before = page->of[BEFORE].path.bounds, *now = page->of[NOW].path.bounds;
    enum core_part parts[core_part_COUNT];
    unsigned count = block_figures_parts(&page->of[NOW], parts);
    double most = 0;
    bool is_listed[core_part_COUNT] = {false};
    for (unsigned i = 0; i < count; i++)
        is_listed[parts[i]] = true;
    for (unsigned part = 1; part < core_part_COUNT; part++) {
        if (!is_listed[part] && before[part] > 0)
            parts[count++] = (enum core_part)part;
        most = fmax(most, fmax(before[part], now[part] / page->copies));
    }
    fputs("<section><h2>Parts of the core</h2>\n<table class=\"both\"><thead><tr><th scope=\"col\">Part</th>"
          "<th scope=\"col\">Before (above) and now</th><th scope=\"col\">Cycles before</th><th "
          "scope=\"col\">Now</th></tr></thead>\n<tbody>\n",
          out);
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "<tr%s title=\"%s\"><th scope=\"row\">%s</th>",
                parts[i] == page->of[NOW].path.limit ? " class=\"limit\"" : "", core_part_doc(parts[i]),
                core_part_word(parts[i]));
        print_pair(out, before[parts[i]], now[parts[i]] / page->copies, most);
    }
    fputs("</tbody></table></section>\n", out);
}

static void print_ports(const struct block_page *page, FILE *out)
{
    const struct block_figures *before = &page->of[BEFORE], *now = &page->of[NOW];
    double most = 0;
    for (unsigned port = 0; port < now->machine->port_count; port++)
        most = fmax(most, fmax(before->port_sums[port], now->port_sums[port] / page->copies));
    if (!(most > 0))
        return;
    fputs("<section><h2>Ports</h2>\n<table class=\"both\"><thead><tr><th scope=\"col\">Port</th><th "
          "scope=\"col\">Before (above) and now</th><th scope=\"col\">µops before</th><th "
          "scope=\"col\">Now</th></tr></thead>\n<tbody>\n",
          out);
    for (unsigned port = 0; port < now->machine->port_count; port++) {
        autofree char *name = port_name(now->machine, port), *words = port_words(now->machine, port);
        html_format(out, "<tr title=\"%s\"><th scope=\"row\">%s</th>", words, name);
        print_pair(out, before->port_sums[port], now->port_sums[port] / page->copies, most);
    }
    fputs("</tbody></table></section>\n", out);
}

static void print_ports_of(FILE *out, const struct machine *machine, const struct block_row *row)
{
    bool is_first = true;
    for (unsigned port = 0; row->ports && port < machine->port_count; port++) {
        if (row->ports[port] < 0.005)
            continue;
        autofree char *name = port_name(machine, port);
        fputs(is_first ? "" : " ", out);
        html_format(out, "%s·%.2f", name, row->ports[port]);
        is_first = false;
    }
}

static void print_cells(FILE *out, const struct block_figures *figures, const struct block_row *row)
{
    if (!row || row->is_entry) {
        html_format(out, "<td></td><td></td><td></td><td class=\"note\">%s</td>", row ? row->note : "");
        return;
    }
    fprintf(out, "<td class=\"figure\">%u</td><td class=\"figure\">", row->uops);
    if (isfinite(row->most) && row->least < row->most)
        fprintf(out, "%g-%g", row->least, row->most);
    else if (isfinite(row->most))
        fprintf(out, "%g", row->most);
    fputs("</td><td>", out);
    print_ports_of(out, figures->machine, row);
    html_format(out, "</td><td class=\"note\">%s</td>", row->note);
}

/* A line with its tabs. */
static void print_line(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const char *tab = memchr(text + i, '\t', length - i);
        size_t end = tab ? (size_t)(tab - text) : length;
        html_text(out, text + i, end - i);
        fputs(tab ? "\t" : "", out);
        i = end + 1;
    }
}

static void print_lines(FILE *out, const char *heading, const char *text, const struct block_figures *figures)
{
    size_t next = 0;
    fprintf(
        out,
        "<section><h2>%s</h2>\n<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table "
        "class=\"lines\"><thead><tr><th "
        "scope=\"col\">Line</th><th scope=\"col\">Text</th><th scope=\"col\">µops</th><th "
        "scope=\"col\">Latency</th><th scope=\"col\">Ports</th><th scope=\"col\">Remark</th></tr></thead>\n"
        "<tbody>\n",
        heading, heading);
    for (uint32_t line = 1; *text; line++) {
        size_t length = strcspn(text, "\n");
        const struct block_row *row = NULL;
        while (next < figures->rows.count && ARRAY_AT(struct block_row, &figures->rows, next)->line < line)
            next++;
        if (next < figures->rows.count && ARRAY_AT(struct block_row, &figures->rows, next)->line == line)
            row = ARRAY_AT(struct block_row, &figures->rows, next);
        fprintf(out, "<tr%s%s%s><td class=\"number\">%u</td><td class=\"text\"><b>",
                row && (row->is_limit || row->is_chain) ? " class=\"" : "",
                row && row->is_limit && row->is_chain ? "limit chain"
                : row && row->is_limit                ? "limit"
                : row && row->is_chain                ? "chain"
                                                      : "",
                row && (row->is_limit || row->is_chain) ? "\"" : "", line);
        print_line(out, text, length);
        fputs("</b></td>", out);
        print_cells(out, figures, row);
        fputs("</tr>\n", out);
        text += length + (text[length] == '\n');
    }
    fputs("</tbody></table></div></section>\n", out);
}

void block_page_write(const struct block_page *page, FILE *out)
{
    html_begin_page(out, report_block_page_policy, "", page->title, "what if", report_block_page_style);
    print_head(page, out);
    print_answer(page, out);
    print_parts(page, out);
    print_lines(out, "Now", page->texts[NOW], &page->of[NOW]);
    print_lines(out, "Before", page->texts[BEFORE], &page->of[BEFORE]);
    fputs(
        "<p class=\"note legend\"><span class=\"limit\">behind the limit</span><span class=\"chain\">on the "
        "longest chain of dependences</span></p>\n",
        out);
    print_ports(page, out);
    if (page->link)
        html_format(out,
                    "<section><h2><label for=\"link\">To go on editing</label></h2>\n<p class=\"note\">"
                    "Open this with a running <code>assay ui</code>: paste it into the page What if.</p>\n"
                    "<textarea id=\"link\" class=\"link\" readonly>%s</textarea></section>\n",
                    page->link);
    fputs("</main>\n</body>\n</html>\n", out);
}
