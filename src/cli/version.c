/* assay version: which Assay this is, what it was built with, and what it takes this computer for. */
#include "cli/version.h"

#include "base/built.h"
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "code/read/opcodes.h"
#include "show/report/common/row_writer.h"
#include "code/source/libclang.h"

#include <stdio.h>
#include <string.h>

/* What is only known when Assay runs: a library that is loaded then, or one that may have been built for
 * fewer instruction sets. */
static bool is_present(enum feature feature)
{
    struct error ignored = {0};
    switch (feature) {
    case feature_AARCH64:
        return opcodes_know(isa_AARCH64, &ignored);
    case feature_IA64:
        return opcodes_know(isa_IA64, &ignored);
    case feature_SOURCES:
        return libclang_load();
    default:
        return features[feature].is_built;
    }
}

static void write_features(FILE *out, bool is_json)
{
    struct row_writer writer = {.out = out, .is_json = is_json, .is_head = !is_json};
    fputs(is_json ? "[" : "", out);
    for (int i = writer.is_head ? -1 : 0; i < FEATURE_COUNT; i++) {
        const struct feature_facts *facts = &features[i < 0 ? 0 : i];
        writer.is_head = i < 0;
        writer.is_first = true;
        fputs(is_json ? i ? ",\n{" : "\n{" : "", out);
        row_text(&writer, "name", facts->word);
        row_flag(&writer, "is_present", i >= 0 && is_present((enum feature)i));
        row_text(&writer, "purpose", facts->purpose);
        row_text(&writer, "needs", facts->needs);
        row_text(&writer, "debian_packages", facts->debian);
        row_text(&writer, "fedora_packages", facts->fedora);
        fputs(is_json ? "}" : "\r\n", out);
    }
    fputs(is_json ? "\n]" : "", out);
}

static void print_features(FILE *out)
{
    for (int i = 0; i < FEATURE_COUNT; i++) {
        const struct feature_facts *facts = &features[i];
        bool present = is_present((enum feature)i);
        fprintf(out, "%s  %-16s %s", present ? "yes" : "no ", facts->word, facts->purpose);
        if (!present)
            fprintf(out, "; needs %s: apt-get install %s, or dnf install %s", facts->needs, facts->debian,
                    facts->fedora);
        fputc('\n', out);
    }
}

/* The features that are there, or those that are not with the packages that bring them. */
static void print_list(FILE *out, const char *title, bool present)
{
    bool is_first = true;
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (is_present((enum feature)i) != present)
            continue;
        fprintf(out, "%s%s", is_first ? title : ", ", features[i].word);
        if (!present)
            fprintf(out, " (%s)", features[i].debian);
        is_first = false;
    }
    if (!is_first)
        fputc('\n', out);
}

static void print_all(FILE *out, const struct machine *host)
{
    fprintf(out, "assay " ASSAY_VERSION "\ncommit    %s\ncompiler  %s\n", version_commit, ASSAY_COMPILER);
    if (host)
        fprintf(out, "machine   %s (%s)\n", host->name, host->title ? host->title : host->name);
    else
        fputs("machine   not known: no file in machines/ describes this computer's processor\n", out);
    print_list(out, "features  ", true);
    print_list(out, "missing   ", false);
}

static void write_json(FILE *out, const struct machine *host)
{
    struct row_writer writer = {.out = out, .is_json = true, .is_first = true};
    fputc('{', out);
    row_text(&writer, "version", ASSAY_VERSION);
    row_text(&writer, "commit", version_commit);
    row_text(&writer, "compiler", ASSAY_COMPILER);
    row_text(&writer, "machine", host ? host->name : NULL);
    row_begin(&writer, "features");
    write_features(out, true);
    fputs("}\n", out);
}

int command_version(const struct invocation *invocation, struct error *error)
{
    if (options_has(invocation, OPTION_VERSION)) {
        puts("assay " ASSAY_VERSION);
        return 0;
    }
    struct session session = {0};
    struct array folders = folders_find("ASSAY_MACHINES", "machines");
    struct machine *host = machines_host(&folders);
    int code = 2;
    if (session_begin(&session, invocation, error)) {
        bool only_features = options_has(invocation, OPTION_FEATURES);
        if (session.style.format == report_JSON && !only_features)
            write_json(session.out, host);
        else if (session.style.format != report_TABLE)
            write_features(session.out, session.style.format == report_JSON);
        else if (only_features)
            print_features(session.out);
        else
            print_all(session.out, host);
        if (session.style.format == report_JSON && only_features)
            fputc('\n', session.out);
        code = 0;
    }
    machine_free(host);
    folders_free(&folders);
    return session_end(&session, code, error);
}
