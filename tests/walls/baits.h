/* SPDX-License-Identifier: MIT
 *
 * What the escapes of ablation-test are aimed at: a file and folders that are open to all, sockets
 * that listen, a process, shared memory, a queue. Included once, after unit/warden-host.h.
 */
#ifndef TESTS_WALLS_BAITS_H
#define TESTS_WALLS_BAITS_H

#include "base/fd.h"
#include "base/mem.h"
#include "unit/t.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* What an escape is aimed at. */
enum aim { NOTHING, FILE_, FOLDER, NEW_FILE, MOUNT, PORT, SOCKET, ABSTRACT, VICTIM, SHM, QUEUE };

static struct {
    char folder[64];
    char file[80];
    char made[80];
    char mount[80];
    char socket[80];
    char abstract[64];
    char queue[64];
    int port;
    int shm;
    int sockets[3];
    pid_t victim;
} bait;

static inline int listen_at(const char *path, bool is_abstract)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t len = is_abstract ? offsetof(struct sockaddr_un, sun_path) + strlen(path) : sizeof at;

    memcpy(at.sun_path, path, strlen(path));
    if (is_abstract) {
        at.sun_path[0] = '\0';
    }
    T_EQ(bind(s, (struct sockaddr *)&at, (socklen_t)len), 0);
    T_EQ(listen(s, 100), 0);
    return s;
}

static inline int listen_tcp(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof at;
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    T_EQ(bind(s, (struct sockaddr *)&at, sizeof at), 0);
    T_EQ(listen(s, 100), 0);
    T_EQ(getsockname(s, (struct sockaddr *)&at, &len), 0);
    bait.port = ntohs(at.sin_port);
    return s;
}

static inline void lay_baits(void)
{
    mode_t old = umask(0);
    pid_t self = getpid();
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};

    snprintf(bait.folder, sizeof bait.folder, "/tmp/walls-bait-%d", (int)self);
    snprintf(bait.file, sizeof bait.file, "%s/file", bait.folder);
    snprintf(bait.made, sizeof bait.made, "%s/made", bait.folder);
    snprintf(bait.mount, sizeof bait.mount, "%s/mount", bait.folder);
    snprintf(bait.socket, sizeof bait.socket, "%s/socket", bait.folder);
    snprintf(bait.abstract, sizeof bait.abstract, "@walls-bait-%d", (int)self);
    snprintf(bait.queue, sizeof bait.queue, "/walls-bait-%d", (int)self);
    T_EQ(mkdir(bait.folder, 0777), 0);
    T_EQ(mkdir(bait.mount, 0777), 0);
    T_EQ(fd_write_all(open(bait.file, O_CREAT | O_WRONLY | O_CLOEXEC, 0666), bytes_str("bait")), 0);
    bait.sockets[0] = listen_at(bait.socket, false);
    bait.sockets[1] = listen_at(bait.abstract, true);
    bait.sockets[2] = listen_tcp();
    bait.shm = shmget((key_t)(0x70000000 + self), 4096, IPC_CREAT | 0666);
    T_OK(bait.shm >= 0);
    T_OK(mq_open(bait.queue, O_CREAT | O_RDWR, 0666, &attributes) >= 0);
    umask(old);
    bait.victim = fork();
    if (bait.victim == 0) {
        pause();
        _exit(0);
    }
}

static inline void take_baits_away(void)
{
    int status = -1;

    T_EQ(waitpid(bait.victim, &status, WNOHANG), 0); /* it lives */
    kill(bait.victim, SIGKILL);
    waitpid(bait.victim, NULL, 0);
    for (size_t i = 0; i < ARRAY_SIZE(bait.sockets); i++) {
        close(bait.sockets[i]);
    }
    shmctl(bait.shm, IPC_RMID, NULL);
    mq_unlink(bait.queue);
    while (umount2(bait.mount, MNT_DETACH) == 0) {
    }
    unlink(bait.file);
    unlink(bait.made);
    unlink(bait.socket);
    rmdir(bait.mount);
    T_EQ(rmdir(bait.folder), 0);
}

#endif
