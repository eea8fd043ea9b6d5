/* Orders, line by line: see lines_file.h.  Assay wrote them, so a bad one is a fault of ours, and ends us. */
#include "runtime/simgrid/simulator.h"

#include <simgrid/link.h>
#ifndef SIMGRID_LISTS_LINKS
#include <xbt/dynar.h>
#endif

#include <stdlib.h>
#include <string.h>

static char *next_word(char **rest)
{
    char *word = strsep(rest, "\t");
    if (!word)
        simulator_fail("an order lacks a word", "protocol");
    return word;
}

static double next_number(char **rest)
{
    char *word = next_word(rest), *end;
    double number = strtod(word, &end);
    if (end == word || *end || !(number >= 0))
        simulator_fail("an order has a bad number", word);
    return number;
}

static sg_host_t next_host(char **rest)
{
    char *name = next_word(rest);
    sg_host_t host = sg_host_by_name(name);
    if (!host)
        simulator_fail("the platform has no such host", name);
    return host;
}

static void read_start(char *rest)
{
    struct job *job = calloc(1, sizeof *job);
    job->tag = strdup(next_word(&rest));
    job->flops = next_number(&rest);
    job->place_count = (size_t)next_number(&rest);
    if (!job->place_count)
        simulator_fail("a job has no host", job->tag);
    job->places = calloc(job->place_count, sizeof *job->places);
    for (size_t i = 0; i < job->place_count; i++) {
        job->places[i].host = next_host(&rest);
        job->places[i].processors = (unsigned)next_number(&rest);
    }
    job->input_count = (size_t)next_number(&rest);
    job->inputs = calloc(job->input_count + 1, sizeof *job->inputs);
    for (size_t i = 0; i < job->input_count; i++) {
        bool is_common = rest && *rest == '\t';
        job->inputs[i].host = is_common ? (next_word(&rest), NULL) : next_host(&rest);
        job->inputs[i].bytes = next_number(&rest);
    }
    jobs_start(job);
}

/* The links between two hosts; the caller frees the list.  SimGrid 4 has a call for it, older ones fill an array of their own kind. */
static const_sg_link_t *links_between(const_sg_host_t from, const_sg_host_t to, int *count)
{
#ifdef SIMGRID_LISTS_LINKS
    return sg_host_get_route_links(from, to, count);
#else
    xbt_dynar_t found = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(from, to, found);
    *count = (int)xbt_dynar_length(found);
    const_sg_link_t *links = calloc((size_t)*count + 1, sizeof *links);
    for (int i = 0; i < *count; i++)
        links[i] = *(sg_link_t *)xbt_dynar_get_ptr(found, (unsigned long)i);
    xbt_dynar_free(&found);
    return links;
#endif
}

static void tell_links(char *rest)
{
    sg_host_t from = next_host(&rest), to = next_host(&rest);
    int count = 0;
    const_sg_link_t *links = links_between(from, to, &count);
    printf("%s\t%.17g\t%d", SIMULATOR_LINKS, sg_host_get_route_latency(from, to), count);
    for (int i = 0; i < count; i++) {
        const_sg_link_t link = links[i];
        printf("\t%s\t%.17g\t%s", sg_link_get_name(link), sg_link_get_bandwidth(link),
               sg_link_is_shared(link) ? "shared" : SIMULATOR_WIDE);
    }
    printf("\n");
    fflush(stdout);
    free(links);
}

bool orders_read(double *until)
{
    static char *line;
    static size_t room;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        if (line[length - 1] == '\n')
            line[length - 1] = 0;
        char *rest = line, *verb = next_word(&rest);
        if (!strcmp(verb, SIMULATOR_ADVANCE)) {
            *until = next_number(&rest);
            return true;
        }
        if (!strcmp(verb, SIMULATOR_START))
            read_start(rest);
        else if (!strcmp(verb, SIMULATOR_ROUTES))
            simulator_tell_routes();
        else if (!strcmp(verb, SIMULATOR_LINKS))
            tell_links(rest);
        else if (!strcmp(verb, SIMULATOR_KILL))
            jobs_kill(next_word(&rest));
        else
            simulator_fail("there is no such order", verb);
    }
    return false;
}
