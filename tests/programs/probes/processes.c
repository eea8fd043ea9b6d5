/* Threads, a child, another program: each counts calls of work. Prints what the process itself counted: "work N". */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

__attribute__((noinline)) long work(long x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

static void *many(void *count)
{
    long x = 0;
    for (long i = 0; i < (long)count; i++)
        x = work(x);
    return (void *)x;
}

int main(int count, char **words)
{
    if (count > 1 && !strcmp(words[1], "killed")) {
        many((void *)5000);
        printf("work 5000\n");
        fflush(stdout);
        kill(getpid(), 9);
    }
    pthread_t threads[THREADS];
    long sum = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, many, (void *)(10000 + i));
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    fflush(stdout);
    if (fork() == 0) {
        many((void *)777);
        if (count > 1 && !strcmp(words[1], "exec"))
            execl(words[0], words[0], "again", (char *)NULL);
        _exit(0);
    }
    int status;
    wait(&status);
    if (count < 2 || strcmp(words[1], "again"))
        printf("work %ld\n", sum);
    return status ? 1 : 0;
}
