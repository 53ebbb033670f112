/* SPDX-License-Identifier: MIT
 *
 * The pool of ready cells, with the real warden (BIN names its folder): how it grows, shrinks and
 * refills, and that no run is lost when the zygote dies.
 */
#include "host/pool.h"

#include "base/clock.h"
#include "base/fd.h"
#include "real-host.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

enum { MANY = 12, MOST_READY = 8 };

static struct one ones[MANY];

static unsigned count_cells(enum wire_state state)
{
    unsigned n = 0;

    for (const struct cell *c = host->cells; c != NULL; c = c->next) {
        n += c->state == state && !c->was_killed && !c->is_dead ? 1 : 0;
    }
    return n;
}

static unsigned count_all(void)
{
    unsigned n = 0;

    for (const struct cell *c = host->cells; c != NULL; c = c->next) {
        n++;
    }
    return n;
}

/* Turns the loop until so many cells wait for a script. */
static void wait_ready(unsigned n)
{
    while (count_cells(WIRE_ST_READY) != n && turn()) {
    }
    T_EQ(count_cells(WIRE_ST_READY), n);
}

static void start_some(size_t n, const char *code)
{
    for (size_t i = 0; i < n; i++) {
        T_EQ(try_start(&ones[i], code, NULL), 0);
    }
}

static void finish_some(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ends(&ones[i], ENDING_FINISHED, "", "");
    }
}

/* One is ready before anybody asks. It is used at once, and another one takes its place while the
 * script runs. */
static void test_refill(void)
{
    open_host(0, HOST_OPTIONS_DEFAULT.ready_cells);
    wait_ready(1);
    T_EQ(count_all(), 1);
    start_some(1, "await tools.t({})");
    T_EQ(count_cells(WIRE_ST_RUNNING), 1); /* it did not wait for a fork */
    while (ones[0].held == NULL && turn()) {
    }
    wait_ready(1);
    T_EQ(count_cells(WIRE_ST_RUNNING), 1);
    T_EQ(ones[0].is_over, false);
    finish_some(1);
    close_host();
}

/* As if the time until the next look had passed. */
static void look_later(void)
{
    host->shrink_at_ms = 0;
    pool_tick(host);
}

/* Runs that found none make it keep more, up to a ceiling; while none comes, it keeps fewer, down
 * to the option, and the cells that are too many go. */
static void test_grow_and_shrink(void)
{
    open_host(0, 1);
    wait_ready(1);
    start_some(3, "return 1");
    finish_some(3);
    T_EQ(host->ready_target, 3);
    wait_ready(3);
    for (int i = 0; i < 3; i++) {
        start_some(MANY, "return 1");
        finish_some(MANY);
    }
    T_EQ(host->ready_target, MOST_READY);
    wait_ready(MOST_READY);
    pool_tick(host); /* too early */
    T_EQ(host->ready_target, MOST_READY);
    host->was_used = true;
    look_later(); /* it was used since the last look */
    T_EQ(host->ready_target, MOST_READY);
    for (unsigned n = MOST_READY; n > 1; n--) {
        look_later();
        wait_ready(n - 1);
    }
    look_later();
    T_EQ(host->ready_target, 1);
    wait_ready(1);
    while (count_all() > 1 && turn()) {
    }
    T_EQ(count_all(), 1);
    close_host();
}

/* Whether a file of /proc/PID has this text, its NULs as spaces. */
static bool has_text(const char *pid, const char *file, const char *text)
{
    char path[300];
    char *have = NULL;
    size_t len = 0;
    bool has;

    snprintf(path, sizeof path, "/proc/%s/%s", pid, file);
    if (fd_read_file(path, 1 << 20, &have, &len) != 0) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        have[i] = have[i] == '\0' ? ' ' : have[i];
    }
    has = strstr(have, text) != NULL;
    mem_free(have);
    return has;
}

static bool is_of_session(const char *pid, pid_t session)
{
    char text[64];

    snprintf(text, sizeof text, " %d %d ", (int)session, (int)session);
    return has_text(pid, "stat", text);
}

/* The process that holds the engine: older than every cell, of which one may have no filter yet. */
static pid_t find_zygote(void)
{
    DIR *folder = opendir("/proc");
    pid_t found = 0;

    T_OK(folder != NULL);
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
            is_of_session(e->d_name, host->warden_pid) &&
            has_text(e->d_name, "cmdline", "--zygote") &&
            has_text(e->d_name, "status", "Seccomp:\t0")) {
            pid_t pid = (pid_t)strtoul(e->d_name, NULL, 10);

            found = found == 0 || pid < found ? pid : found;
        }
    }
    closedir(folder);
    return found;
}

/* Turns until all have ended. Whenever no cell is there and the next fork has to wait, the timer
 * must be set for it: it may have come for something else meanwhile. */
static void watch_timer(size_t n)
{
    size_t over = 0;

    while (over < n && turn()) {
        int64_t left = host->spawn_after_ms - clock_now_ms();

        uv_update_time(&loop);
        T_OK(host->cells != NULL || left < 0 ||
             uv_timer_get_due_in(&host->pool_timer) <= (uint64_t)left + 5);
        over = 0;
        for (size_t i = 0; i < n; i++) {
            over += ones[i].is_over ? 1 : 0;
        }
    }
}

/* Every run waits for a cell that the zygote was asked for when it dies, twice in a row: all of
 * them get one of the next zygote's. */
static void test_zygote_dies(void)
{
    pid_t zygote;

    open_host(0, 1);
    wait_ready(1);
    start_some(1, "return 1");
    finish_some(1);
    for (int i = 0; i < 2; i++) {
        zygote = find_zygote();
        T_OK(zygote > 0);
        if (zygote == 0) {
            break; /* 0 would be all of us */
        }
        kill(zygote, SIGSTOP);
        start_some(MANY, "return 1");
        for (int turns = 0; turns < 5; turns++) {
            uv_run(&loop, UV_RUN_NOWAIT); /* the requests go out */
        }
        kill(zygote, SIGKILL);
        watch_timer(MANY);
        finish_some(MANY);
        T_OK(find_zygote() != zygote);
    }
    close_host();
}

int main(void)
{
    test_refill();
    test_grow_and_shrink();
    test_zygote_dies();
    return T_DONE("pool");
}
