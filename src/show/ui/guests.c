/* A connection is closed by shutting its socket down: whoever reads from it finds its end. The socket stays
   open until its owner closes it, after guests_go, so its number is never another one's here. */
#include "show/ui/guests.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

struct guest {
    bool is_here, has_entered, is_dismissed;
    int socket;
    double deadline; /* of what it is saying, in seconds of the monotonic clock; 0: it listens */
};

struct guests {
    pthread_mutex_t lock;
    pthread_cond_t is_ending;
    pthread_t keeper;
    bool has_keeper, is_over;
    struct guest places[GUESTS_MOST];
};

static void dismiss(struct guest *guest)
{
    guest->is_dismissed = true;
    shutdown(guest->socket, SHUT_RDWR);
}

/* The stranger who has knocked longest, if there are too many. */
static void make_room(struct guests *guests)
{
    struct guest *oldest = NULL;
    unsigned strangers = 0;
    for (unsigned i = 0; i < GUESTS_MOST; i++) {
        struct guest *guest = &guests->places[i];
        if (!guest->is_here || guest->has_entered || guest->is_dismissed)
            continue;
        strangers++;
        if (!oldest || guest->deadline < oldest->deadline)
            oldest = guest;
    }
    if (strangers > GUESTS_MOST_STRANGERS)
        dismiss(oldest);
}

static void dismiss_slow(struct guests *guests)
{
    double now = clock_monotonic_seconds();
    for (unsigned i = 0; i < GUESTS_MOST; i++) {
        struct guest *guest = &guests->places[i];
        if (guest->is_here && !guest->is_dismissed && guest->deadline > 0 && now > guest->deadline)
            dismiss(guest);
    }
}

static void *keep(void *context)
{
    struct guests *guests = context;
    pthread_mutex_lock(&guests->lock);
    while (!guests->is_over) {
        struct timespec next;
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec++;
        pthread_cond_timedwait(&guests->is_ending, &guests->lock, &next);
        dismiss_slow(guests);
    }
    pthread_mutex_unlock(&guests->lock);
    return NULL;
}

struct guests *guests_begin(void)
{
    struct guests *guests = memory_get(sizeof *guests);
    pthread_mutex_init(&guests->lock, NULL);
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&guests->is_ending, &steady);
    pthread_condattr_destroy(&steady);
    guests->has_keeper = !pthread_create(&guests->keeper, NULL, keep, guests);
    return guests;
}

void guests_end(struct guests *guests)
{
    if (!guests)
        return;
    pthread_mutex_lock(&guests->lock);
    guests->is_over = true;
    pthread_cond_signal(&guests->is_ending);
    pthread_mutex_unlock(&guests->lock);
    if (guests->has_keeper)
        pthread_join(guests->keeper, NULL);
    pthread_cond_destroy(&guests->is_ending);
    pthread_mutex_destroy(&guests->lock);
    free(guests);
}

struct guest *guests_come(struct guests *guests, int socket)
{
    struct guest *guest = NULL;
    pthread_mutex_lock(&guests->lock);
    for (unsigned i = 0; i < GUESTS_MOST && !guest; i++)
        if (!guests->places[i].is_here)
            guest = &guests->places[i];
    if (guest) {
        *guest = (struct guest){
            .is_here = true, .socket = socket, .deadline = clock_monotonic_seconds() + GUESTS_SECONDS};
        make_room(guests);
    }
    pthread_mutex_unlock(&guests->lock);
    return guest;
}

void guests_go(struct guests *guests, struct guest *guest)
{
    if (!guest)
        return;
    pthread_mutex_lock(&guests->lock);
    guest->is_here = false;
    pthread_mutex_unlock(&guests->lock);
}

void guests_enter(struct guests *guests, struct guest *guest)
{
    if (!guest)
        return;
    pthread_mutex_lock(&guests->lock);
    guest->has_entered = true;
    guest->deadline = 0;
    pthread_mutex_unlock(&guests->lock);
}

void guests_speak(struct guests *guests, struct guest *guest, bool is_complete)
{
    if (!guest)
        return;
    pthread_mutex_lock(&guests->lock);
    if (guest->has_entered) /* a stranger has said enough */
        guest->deadline = is_complete ? 0 : clock_monotonic_seconds() + GUESTS_REQUEST_SECONDS;
    pthread_mutex_unlock(&guests->lock);
}
