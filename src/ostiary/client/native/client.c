/* A client of the resident service that starts in a fraction of a millisecond: what client.py does, in C.
 *
 *     ostiary-client SOCKET MILLISECONDS -- COLD COMMAND
 *
 * docs/service.md has the protocol and what a client must do. Whatever is wrong with the service, this process becomes
 * the cold command, with what it was sent on standard input; so nothing here decides anything. POSIX alone, no stdio:
 * linked statically against musl it is a few KB.
 */

#if defined(__linux__)
#define _GNU_SOURCE /* struct ucred */
#elif defined(__APPLE__)
#define _DARWIN_C_SOURCE /* getpeereid */
#endif

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef VERSION
#error "the version of the package must be given"
#endif

enum {
    PAYLOAD = 16 << 20,
    FRAME = 4 << 20,
    FIELD = 1 << 14,
    SILENCE = 2000, /* milliseconds after which a service that says nothing hangs */
    CONNECT = 1000,
    PIPE = 16384, /* bytes that every system takes into a pipe before anybody reads */
    HEAD = 5,
    FURTHER = 64, /* arguments that a service may add to the cold command */
    BLOCKED = 2,
};

typedef struct {
    unsigned char *data;
    size_t size;
} Bytes;

static int64_t began, deadline; /* milliseconds */
static char **command;
static int commands;
static Bytes payload;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* The value of an option in the cold command, empty if it has none. */
static const char *named(const char *option)
{
    for (int i = 0; i + 1 < commands; i++)
        if (strcmp(command[i], option) == 0)
            return command[i + 1];
    return "";
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcasecmp(text + length - size, end) == 0;
}

static char *put(char *to, const char *text)
{
    size_t size = strlen(text);
    memcpy(to, text, size);
    return to + size;
}

/* Seconds with three decimals. */
static char *put_seconds(char *to, int64_t milliseconds)
{
    char digits[24], *at = digits + sizeof digits;
    int64_t seconds = milliseconds / 1000;
    do
        *--at = (char)('0' + seconds % 10);
    while (seconds /= 10);
    memcpy(to, at, (size_t)(digits + sizeof digits - at));
    to += digits + sizeof digits - at;
    *to++ = '.';
    *to++ = (char)('0' + milliseconds / 100 % 10);
    *to++ = (char)('0' + milliseconds / 10 % 10);
    *to++ = (char)('0' + milliseconds % 10);
    return to;
}

/* Writes all of it; -1 if that is not possible. A descriptor that does not block is waited for. */
static int write_all(int descriptor, const unsigned char *data, size_t size)
{
    while (size) {
        ssize_t wrote = write(descriptor, data, size);
        if (wrote < 0) {
            struct pollfd waiting = {descriptor, POLLOUT, 0};
            if (errno == EINTR || (errno == EAGAIN && poll(&waiting, 1, -1) > 0))
                continue;
            return -1;
        }
        data += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

/* Writes an answer and ends. One that cannot be written closes the gate by the exit code. */
static _Noreturn void say(int status, Bytes out, Bytes error)
{
    if (write_all(1, out.data, out.size) < 0 && !status)
        status = BLOCKED;
    write_all(2, error.data, error.size);
    _exit(status);
}

/* Puts the payload on standard input, for which it may take a process of its own; -1 if that is not possible. */
static int feed(void)
{
    int ends[2];
    pid_t child = 1;
    if (pipe(ends) < 0)
        return -1;
    if (payload.size > PIPE && (child = fork()) < 0)
        return -1;
    if (child == 0) {
        for (int descriptor = 0; descriptor < 3; descriptor++)
            close(descriptor);
        close(ends[0]);
        write_all(ends[1], payload.data, payload.size);
        _exit(0);
    }
    if (payload.size <= PIPE && write_all(ends[1], payload.data, payload.size) < 0)
        return -1;
    if (dup2(ends[0], 0) < 0)
        return -1;
    close(ends[0]);
    close(ends[1]);
    return 0;
}

/* Becomes the cold command, with further arguments. */
static _Noreturn void run(char **more, int count)
{
    static const char wrong[] = "Ostiary cannot be run: ";
    const char *event = named("--event"), *program = commands ? command[0] : "its client was not told how";
    char spent[64] = "--spent=", **words = calloc((size_t)(commands + count) + 2, sizeof *words);
    if (words && commands && feed() == 0) {
        memcpy(words, command, (size_t)commands * sizeof *words);
        *put_seconds(spent + strlen(spent), now() - began) = 0;
        words[commands] = spent;
        if (count)
            memcpy(words + commands + 1, more, (size_t)count * sizeof *words);
        signal(SIGPIPE, SIG_DFL);
        execv(words[0], words);
    }
    Bytes none = {0}, line = {(unsigned char *)malloc(sizeof wrong + strlen(program) + 1), 0};
    if (line.data) {
        char *end = put(put(put((char *)line.data, wrong), program), "\n");
        line.size = (size_t)(end - (char *)line.data);
    }
    say(ends_with(event, "stop") || ends_with(event, "afteragent") ? 0 : BLOCKED, none, line);
}

static _Noreturn void cold(void)
{
    run(NULL, 0);
}

static _Noreturn void late(void)
{
    char text[96];
    char *more[] = {text};
    char *end = put_seconds(put(text, "--failed=the service took longer than "), deadline - began);
    while (end[-1] == '0')
        end--;
    *put(end[-1] == '.' ? end - 1 : end, " seconds") = 0;
    run(more, 1);
}

/* Waits until something can be read or written, no longer than until then. */
static void wait_for(int descriptor, short what, int64_t until)
{
    for (;;) {
        int64_t time = now(), most = until < deadline ? until : deadline;
        struct pollfd waiting = {descriptor, what, 0};
        if (time >= deadline)
            late();
        if (time >= until)
            cold();
        int found = poll(&waiting, 1, most - time > 60000 ? 60000 : (int)(most - time));
        if (found > 0)
            return;
        if (found < 0 && errno != EINTR)
            cold();
    }
}

static unsigned char *memory(size_t size)
{
    unsigned char *found = malloc(size ? size : 1);
    if (!found)
        cold();
    return found;
}

/* Standard input, up to one byte more than a payload may have. */
static void receive(void)
{
    size_t room = 1 << 16;
    payload.data = memory(room);
    if (isatty(0))
        return;
    while (payload.size <= PAYLOAD) {
        if (payload.size == room) {
            unsigned char *more = realloc(payload.data, room *= 2);
            if (!more)
                cold();
            payload.data = more;
        }
        size_t most = room - payload.size;
        if (most > PAYLOAD + 1 - payload.size)
            most = PAYLOAD + 1 - payload.size;
        wait_for(0, POLLIN, deadline);
        ssize_t got = read(0, payload.data + payload.size, most);
        if (got == 0)
            return;
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            cold();
        if (got > 0)
            payload.size += (size_t)got;
    }
}

/* Whether a folder is one, and this user's alone. */
static int is_private(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && (status.st_mode & 077) == 0
        && status.st_uid == geteuid();
}

/* Whether the process at the other end is this user's. */
static int is_ours(int connection)
{
#if defined(__linux__)
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && size == sizeof peer
        && peer.uid == geteuid();
#elif defined(__APPLE__)
    uid_t user;
    gid_t group;
    return getpeereid(connection, &user, &group) == 0 && user == geteuid();
#else
    (void)connection;
    return 0;
#endif
}

static int connected(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *slash = strrchr(path, '/');
    if (!slash || strlen(path) >= sizeof address.sun_path)
        cold();
    strcpy(address.sun_path, path);
    address.sun_path[slash - path] = 0;
    if (!is_private(address.sun_path))
        cold();
    address.sun_path[slash - path] = '/';
    int connection = socket(AF_UNIX, SOCK_STREAM, 0), failure = 0;
    socklen_t size = sizeof failure;
    if (connection < 0 || fcntl(connection, F_SETFD, FD_CLOEXEC) < 0 || fcntl(connection, F_SETFL, O_NONBLOCK) < 0)
        cold();
    if (connect(connection, (struct sockaddr *)&address, sizeof address) < 0) {
        if (errno != EINPROGRESS)
            cold();
        wait_for(connection, POLLOUT, now() + CONNECT);
        if (getsockopt(connection, SOL_SOCKET, SO_ERROR, &failure, &size) < 0 || failure)
            cold();
    }
    if (!is_ours(connection))
        cold();
    return connection;
}

/* Sends two pieces, at once where the system takes as much. */
static void send_all(int connection, struct iovec pieces[2], int64_t until)
{
    while (pieces[0].iov_len + pieces[1].iov_len) {
        ssize_t sent = writev(connection, pieces, 2);
        if (sent < 0) {
            if (errno != EINTR && errno != EAGAIN)
                cold();
            wait_for(connection, POLLOUT, until);
            continue;
        }
        for (int i = 0; i < 2; i++) {
            size_t part = (size_t)sent < pieces[i].iov_len ? (size_t)sent : pieces[i].iov_len;
            pieces[i].iov_base = (char *)pieces[i].iov_base + part;
            pieces[i].iov_len -= part;
            sent -= (ssize_t)part;
        }
    }
}

static uint32_t number(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static char *put_field(char *to, const char *text)
{
    size_t size = strlen(text);
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (char)(size >> shift);
    return put(to, text);
}

static void ask(int connection)
{
    static char folder[FIELD], head[FIELD + 1024];
    const char *agent = named("--agent"), *event = named("--event");
    int64_t until = now() + SILENCE;
    if (strlen(agent) > 64 || strlen(event) > 256)
        cold();
    if (!getcwd(folder, sizeof folder))
        folder[0] = 0;
    char *end = put_field(put_field(put_field(put_field(put(head, "OST1"), VERSION), agent), event), folder);
    for (int shift = 24; shift >= 0; shift -= 8)
        *end++ = (char)(payload.size >> shift);
    send_all(connection, (struct iovec[]){{head, (size_t)(end - head)}, {payload.data, payload.size}}, until);
}

static void read_all(int connection, unsigned char *to, size_t size, int64_t until)
{
    while (size) {
        wait_for(connection, POLLIN, until);
        ssize_t got = recv(connection, to, size, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            cold();
        if (got > 0) {
            to += got;
            size -= (size_t)got;
        }
    }
}

static _Noreturn void answered(Bytes body)
{
    if (body.size < HEAD || number(body.data + 1) > body.size - HEAD)
        cold();
    Bytes out = {body.data + HEAD, number(body.data + 1)};
    Bytes error = {out.data + out.size, body.size - HEAD - out.size};
    say(body.data[0], out, error);
}

/* The service says what failed, in arguments for the cold command. */
static _Noreturn void failed(Bytes body)
{
    char *more[FURTHER];
    int count = 0;
    for (size_t at = 0; at < body.size;) {
        size_t left = body.size - at;
        if (left < 4 || number(body.data + at) > left - 4 || count == FURTHER)
            cold();
        size_t size = number(body.data + at);
        more[count] = (char *)memory(size + 1);
        memcpy(more[count], body.data + at + 4, size);
        more[count++][size] = 0;
        at += 4 + size;
    }
    run(more, count);
}

static _Noreturn void hear(int connection)
{
    for (;;) {
        unsigned char head[HEAD];
        int64_t until = now() + SILENCE;
        read_all(connection, head, HEAD, until);
        Bytes body = {NULL, number(head + 1)};
        if (body.size > FRAME)
            cold();
        body.data = memory(body.size);
        read_all(connection, body.data, body.size, until);
        if (head[0] == 'A')
            answered(body);
        if (head[0] == 'F')
            failed(body);
        if (head[0] != 'H')
            cold();
        free(body.data);
    }
}

int main(int count, char **words)
{
    int descriptor;
    began = now();
    signal(SIGPIPE, SIG_IGN);
    /* What is closed stays closed to us: no connection takes the place of standard output. */
    do
        descriptor = open("/dev/null", O_RDONLY);
    while (descriptor >= 0 && descriptor < 3);
    close(descriptor);
    if (count > 4) {
        command = words + 4;
        commands = count - 4;
        deadline = began + atoll(words[2]);
        receive();
        if (payload.size > PAYLOAD)
            cold();
        int connection = connected(words[1]);
        ask(connection);
        hear(connection);
    }
    deadline = INT64_MAX;
    cold();
}
