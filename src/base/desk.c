/* How a question travels:

       thread of Assay ─ order (number, limits, two files) ─► desk ─ fork ─► process of the question
              ▲                                                                  │
              └──────────────────────────── pipe: the answer, one byte ◄─────────┘

   The order is one message on a socket, so threads need no lock. Its files are the question, in memory
   without a name, and the end of the pipe that the answer is written to. The last byte of an answer says that
   it is whole; without it, the process did not come to its end.

   Only its parent knows for sure which process has a number, so a thread that wants one killed asks the desk.
   If Assay ends, for whatever reason, the socket is closed; then the desk kills what is left and ends. */
#include "base/desk.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/forked.h"
#include "base/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_MILLISECONDS = 100,
    REAP_MILLISECONDS = 1000,
    BUFFER = 1 << 16,
    MOST_AT_ONCE = 64,
    LOW_PRIORITY = 5,
    MOST_ANSWER = 256 << 20,
    MOST_WORDS = 900
};
static const uint64_t MOST_FILE = UINT64_C(1) << 30; /* where SQLite sorts */

enum order_kind { order_ANSWER, order_KILL };

struct order {
    uint64_t number;
    uint32_t kind, seconds;
    uint32_t subject_bytes; /* at the start of the question, with their 0 */
};

/* The files of an order. */
enum { FILE_QUESTION, FILE_ANSWER, FILES };

/* The last byte of an answer. */
enum { WHOLE = 'w', REFUSED = 'r' };

struct desk {
    int socket;
    pid_t process;
    _Atomic uint64_t questions;
};

/* ---- the process of a question ---- */

static void answer(const struct desk_options *options, void *opened, const struct desk_question *question,
                   unsigned seconds, pid_t desk)
{
    FILE *out = child_stream();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != desk)
        _exit(1);
    forked_limit(RLIMIT_CORE, 0);
    forked_limit_seconds(seconds + 1);
    forked_limit(RLIMIT_FSIZE, MOST_FILE);
    forked_limit_memory(options->memory);
    setpriority(PRIO_PROCESS, 0, LOW_PRIORITY);
    confine();
    if (!out)
        _exit(1);
    setvbuf(out, NULL, _IOFBF, BUFFER);
    options->answer(options->context, opened, question, out);
    putc(WHOLE, out);
    _exit(fflush(out) ? 1 : 0);
}

/* ---- the desk ---- */

struct counter {
    const struct desk_options *options;
    int socket;
    struct {
        uint64_t number;
        pid_t process; /* 0: the place is free */
    } running[MOST_AT_ONCE];
};

static void refuse(int file, const char *why)
{
    dup2(file, STDOUT_FILENO);
    if (child_write(why, strlen(why)))
        child_write(&(char){REFUSED}, 1);
}

/* Sets processes free that have ended; those of this number, or all with ~0, are killed. */
static void look_after(struct counter *counter, uint64_t killed)
{
    for (size_t i = 0; i < MOST_AT_ONCE; i++) {
        pid_t process = counter->running[i].process;
        bool is_killed = killed == UINT64_MAX || counter->running[i].number == killed;
        if (process && is_killed)
            kill(process, SIGKILL);
        if (process && waitpid(process, NULL, is_killed ? 0 : WNOHANG) == process)
            counter->running[i].process = 0;
    }
}

static void start_answer(struct counter *counter, const struct order *order, const char *text, size_t size,
                         int file)
{
    struct error error = {0};
    struct desk_question question = {
        .subject = text, .text = text + order->subject_bytes, .size = size - order->subject_bytes};
    size_t place = 0;
    while (place < MOST_AT_ONCE && counter->running[place].process)
        place++;
    void *opened =
        place < MOST_AT_ONCE
            ? counter->options->open(counter->options->context, question.subject, &error)
            : (error_set(&error, NULL, "%d questions are being answered; try again", MOST_AT_ONCE), NULL);
    if (!opened) {
        refuse(file, error.text);
        return;
    }
    dup2(file, STDOUT_FILENO);
    pid_t desk = getpid(), process = fork();
    if (!process) {
        forked_close_others(-1, -1, true);
        answer(counter->options, opened, &question, order->seconds, desk);
    }
    if (process < 0)
        refuse(file, "no process can be created");
    else
        counter->running[place].process = process;
    counter->running[place].number = order->number;
}

static void take_question(struct counter *counter, const struct order *order, const int *files)
{
    struct stat facts;
    size_t size = fstat(files[FILE_QUESTION], &facts) ? 0 : (size_t)facts.st_size;
    char *text = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, files[FILE_QUESTION], 0) : MAP_FAILED;
    if (text != MAP_FAILED && order->subject_bytes && order->subject_bytes <= size &&
        !text[order->subject_bytes - 1])
        start_answer(counter, order, text, size, files[FILE_ANSWER]);
    else
        refuse(files[FILE_ANSWER], "the question could not be read");
    if (text != MAP_FAILED)
        munmap(text, size);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO); /* the pipe ends with the process of the question */
    close(nowhere);
    close(files[FILE_QUESTION]);
    close(files[FILE_ANSWER]);
}

/* false: Assay has ended. */
static bool take_order(struct counter *counter)
{
    struct order order;
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(FILES * sizeof(int))];
    } control;
    struct iovec part = {&order, sizeof order};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got = recvmsg(counter->socket, &message, MSG_CMSG_CLOEXEC);
    if (got != sizeof order)
        return got < 0 && errno == EINTR;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    int files[FILES];
    if (order.kind == order_KILL) {
        look_after(counter, order.number);
    } else if (head && head->cmsg_len == CMSG_LEN(sizeof files)) {
        memcpy(files, CMSG_DATA(head), sizeof files);
        take_question(counter, &order, files);
    }
    return true;
}

static _Noreturn void be_desk(const struct desk_options *options, int socket, pid_t parent)
{
    struct counter counter = {.options = options, .socket = socket};
    prctl(PR_SET_NAME, "assay-desk");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    forked_begin();
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (getppid() != parent)
        _exit(1);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        dup2(nowhere, i);
    forked_close_others(socket, -1,
                        false); /* nothing of Assay's but the socket: questions would have it, too */
    for (bool goes_on = true; goes_on;) {
        struct pollfd wait = {.fd = socket, .events = POLLIN};
        if (poll(&wait, 1, REAP_MILLISECONDS) > 0)
            goes_on = take_order(&counter);
        look_after(&counter, 0);
    }
    look_after(&counter, UINT64_MAX);
    _exit(0);
}

/* ---- Assay ---- */

struct desk *desk_open(const struct desk_options *options, struct error *error)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        error_set_errno(error, NULL, "cannot create a socket");
        return NULL;
    }
    pid_t parent = getpid(), process = fork();
    if (!process) {
        close(ends[0]);
        be_desk(options, ends[1], parent);
    }
    close(ends[1]);
    if (process < 0) {
        error_set_errno(error, NULL, "cannot create a process");
        close(ends[0]);
        return NULL;
    }
    struct desk *desk = memory_get(sizeof *desk);
    desk->socket = ends[0];
    desk->process = process;
    return desk;
}

void desk_close(struct desk *desk)
{
    if (!desk)
        return;
    close(desk->socket);
    while (waitpid(desk->process, NULL, 0) < 0 && errno == EINTR)
        ;
    free(desk);
}

static bool send_order(const struct desk *desk, struct order order, const int *files)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(FILES * sizeof(int))];
    } control = {.bytes = ""};
    struct iovec part = {&order, sizeof order};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (files) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.head = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(FILES * sizeof *files)};
        memcpy(CMSG_DATA(&control.head), files, FILES * sizeof *files);
    }
    ssize_t sent;
    while ((sent = sendmsg(desk->socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return sent == sizeof order;
}

/* Reads until the end, or until it has to end, or the time is over. */
static enum desk_end read_answer(int file, double deadline, bool (*must_end)(void *context), void *context,
                                 struct array *answer)
{
    for (;;) {
        struct pollfd wait = {.fd = file, .events = POLLIN};
        int ready = poll(&wait, 1, LOOK_MILLISECONDS);
        if (must_end(context))
            return desk_end_KILLED;
        if (clock_monotonic_seconds() > deadline)
            return desk_end_LATE;
        if (ready <= 0)
            continue;
        char bytes[BUFFER];
        ssize_t got = read(file, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        if ((size_t)got > MOST_ANSWER - answer->count)
            return desk_end_BROKEN;
        memcpy(array_push_many(answer, (size_t)got), bytes, (size_t)got);
    }
    char last = answer->count ? *ARRAY_AT(char, answer, answer->count - 1) : 0;
    answer->count -= answer->count > 0;
    return last == WHOLE ? desk_end_DONE : last == REFUSED ? desk_end_REFUSED : desk_end_BROKEN;
}

enum desk_end desk_ask(struct desk *desk, const struct desk_question *question, unsigned seconds,
                       bool (*must_end)(void *context), void *context, struct array *answer,
                       struct error *error)
{
    enum { SPARE_SECONDS = 1 }; /* for an answer that keeps its time itself, and says so */
    struct order order = {.number = ++desk->questions,
                          .kind = order_ANSWER,
                          .seconds = seconds + SPARE_SECONDS,
                          .subject_bytes = (uint32_t)strlen(question->subject) + 1};
    size_t size = order.subject_bytes + question->size;
    char *whole = memory_get(size);
    memcpy(whole, question->subject, order.subject_bytes);
    memcpy(whole + order.subject_bytes, question->text, question->size);
    struct memory_file file;
    bool is_made = memory_file_make(&file, whole, size, error);
    free(whole);
    if (!is_made)
        return desk_end_REFUSED;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        error_set_errno(error, NULL, "cannot create a pipe");
        memory_file_close(&file);
        return desk_end_REFUSED;
    }
    const int files[FILES] = {[FILE_QUESTION] = file.descriptor, [FILE_ANSWER] = ends[1]};
    bool is_sent = send_order(desk, order, files);
    close(ends[1]);
    memory_file_close(&file);
    double deadline = clock_monotonic_seconds() + order.seconds;
    enum desk_end end = is_sent ? read_answer(ends[0], deadline, must_end, context, answer) : desk_end_BROKEN;
    close(ends[0]);
    if (!is_sent)
        error_set(error, NULL, "the process that answers questions has ended; start Assay again");
    else if (end == desk_end_REFUSED)
        error_set(error, NULL, "%.*s", answer->count < MOST_WORDS ? (int)answer->count : MOST_WORDS,
                  (const char *)answer->data);
    else if (end != desk_end_DONE)
        send_order(desk, (struct order){.number = order.number, .kind = order_KILL}, NULL);
    return is_sent ? end : desk_end_REFUSED;
}
