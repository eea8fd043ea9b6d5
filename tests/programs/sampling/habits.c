/* A program with habits that sampling has to cope with: `longer` has 70 % of the time, `shorter` 30 %.
   habits HABIT [NUMBER]: the first word says what it does besides. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sum;

__attribute__((noinline, noclone)) void longer(long count)
{
    unsigned long value = 1;
    for (long i = 0; i < count; i++)
        value = value * 6364136223846793005UL + 1;
    sum += value;
}

__attribute__((noinline, noclone)) void shorter(long count)
{
    unsigned long value = 3;
    for (long i = 0; i < count; i++)
        value = value * 2862933555777941757UL + 5;
    sum += value;
}

enum { UNIT = 1000000 };

static void work(long units)
{
    longer(units * 7 * UNIT);
    shorter(units * 3 * UNIT);
}

static void *work_in_thread(void *units)
{
    work((long)units);
    return NULL;
}

static void threads(long count)
{
    pthread_t *all = malloc((size_t)count * sizeof *all);
    for (long i = 0; i < count; i++)
        pthread_create(&all[i], NULL, work_in_thread, (void *)(count < 10 ? 20L : 0L));
    for (long i = 0; i < count; i++)
        pthread_join(all[i], NULL);
    free(all);
}

static void children(long count)
{
    for (long i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
}

__attribute__((noinline, noclone)) void touch(long pages)
{
    long size = sysconf(_SC_PAGESIZE);
    char *memory = aligned_alloc((size_t)size, (size_t)(pages * size));
    for (long i = 0; i < pages; i++)
        ((volatile char *)memory)[i * size] = 1;
    free(memory);
}

/* Leaves a child after, which prints nothing and goes on for a while. */
static void leave_daemon(const char *path)
{
    if (fork() == 0) {
        setsid();
        for (int i = 0; i < 64; i++)
            close(i);
        int file = open(path, O_CREAT | O_WRONLY, 0600);
        if (file < 0 || dprintf(file, "%d\n", (int)getpid()) < 0)
            _exit(1);
        for (int i = 0; i < 300; i++)
            work(5);
        _exit(0);
    }
}

static void leave(int number)
{
    (void)number;
    static const char words[] = "interrupted\n";
    _exit(write(1, words, sizeof words - 1) > 0 ? 7 : 8);
}

int main(int count, char **words)
{
    const char *habit = count > 1 ? words[1] : "";
    long number = count > 2 ? atol(words[2]) : 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (!strcmp(habit, "work")) {
        work(number);
    } else if (!strcmp(habit, "threads")) {
        threads(number);
    } else if (!strcmp(habit, "children")) {
        children(number);
    } else if (!strcmp(habit, "touch")) {
        touch(number);
    } else if (!strcmp(habit, "daemon")) {
        leave_daemon(words[2]);
        work(10);
    } else if (!strcmp(habit, "closed")) {
        for (int i = 3; i < 1024; i++)
            close(i);
        work(30);
    } else if (!strcmp(habit, "exec")) {
        work(20);
        execl("/proc/self/exe", words[0], "work", "20", NULL);
    } else if (!strcmp(habit, "killed")) {
        work(30);
        kill(getpid(), (int)number);
    } else if (!strcmp(habit, "exit")) {
        work(1);
        return (int)number;
    } else if (!strcmp(habit, "forever")) {
        signal(SIGINT, leave);
        alarm(600);
        printf("ready\n");
        for (;;)
            work(5);
    }
    return 0;
}
