/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 9P protocol between guests and QEMU's file server: events v9fs_NAME are
 * requests (TNAME), v9fs_NAME_return the answers (RNAME); both begin with the
 * tag that connects them.  An answer is printed with its latency.
 */
#include <ctype.h>

#include "common/debug.h"
#include "common/num.h"
#include "simpletrace/sink.h"

#define PREFIX "v9fs_"
#define RETURN "_return"
#define TAGS 65536u

struct request
{
    uint64_t time;
    const struct st_event *event;   /* NULL: no request pending */
    uint32_t pid;
};

struct ninep
{
    struct request waiting[TAGS];
    uint64_t requests, answers, errors;
};

static void ninep_init(struct st_print *p)
{
    p->state = arena_new(&p->arena, struct ninep);
    p->no_memory = !p->state;
}

/* "v9fs_walk_return" -> "RWALK" */
static void print_message(struct st_out *out, const char *event, bool answer)
{
    const char *name = event + strlen(PREFIX);
    size_t n = strlen(name) - (answer ? strlen(RETURN) : 0);

    debug_assert(!strncmp(event, PREFIX, strlen(PREFIX)));
    st_out_char(out, answer ? 'R' : 'T');
    for ( size_t i = 0; i < n; i++ )
        st_out_char(out, toupper((unsigned char)name[i]));
}

static bool is_return_event(const char *name)
{
    size_t n = strlen(name), tail = strlen(RETURN);

    return n > tail + strlen(PREFIX) && !strcmp(name + n - tail, RETURN);
}

/* rerror and rcancel answer any request. */
static bool is_refusal(const char *name)
{
    return !strcmp(name, PREFIX "rerror") || !strcmp(name, PREFIX "rcancel");
}

static void print_message_head(struct st_print *p,
                               const struct st_record *record, bool refusal,
                               bool answer)
{
    struct st_out *out = &p->out;

    out->at = num_sec_right(st_out_need(out, NUM_SEC_MAX + 16),
                            record->time > p->first ?
                            record->time - p->first : 0, 15);
    st_out_char(out, ' ');
    if ( refusal )
        st_out_text(out, strstr(record->event->name, "cancel") ? "RCANCEL" :
                                                                 "RERROR");
    else
        print_message(out, record->event->name, answer);
}

/* Print the latency, and for a refusal the request. */
static void print_answer(struct st_print *p, const struct st_record *record,
                         struct request *request, bool refusal)
{
    struct st_out *out = &p->out;

    if ( !request->event || request->pid != record->pid )
        return;
    if ( refusal )
    {
        st_out_text(out, " to ");
        print_message(out, request->event->name, false);
    }
    st_out_text(out, " after ");
    out->at = num_duration(st_out_need(out, NUM_CLOCK_MAX),
                           record->time - request->time);
    request->event = NULL;
}

static void ninep_print_record(struct st_print *p,
                               const struct st_record *record)
{
    const char *name = record->event->name;
    bool refusal = is_refusal(name), answer = refusal || is_return_event(name);
    struct ninep *s = p->state;
    struct request *request;

    if ( p->no_memory || strncmp(name, PREFIX, strlen(PREFIX)) ||
         record->bytes < 8 )
        return;
    print_message_head(p, record, refusal, answer);
    request = &s->waiting[st_record_word(record, 0) % TAGS];
    st_print_args(p, record);
    if ( answer )
        print_answer(p, record, request, refusal);
    else
        *request = (struct request){ record->time, record->event,
                                     record->pid };
    st_out_char(&p->out, '\n');
    s->requests += !answer;
    s->answers += answer;
    s->errors += refusal;
}

static void ninep_print_totals(struct st_print *p)
{
    const struct ninep *s = p->state;

    if ( !p->no_memory )
        st_out_print(&p->out, "%llu request%s, %llu answer%s, of which %llu "
                     "error%s\n", (unsigned long long)s->requests,
                     num_plural(s->requests), (unsigned long long)s->answers,
                     num_plural(s->answers), (unsigned long long)s->errors,
                     num_plural(s->errors));
}

const struct st_sink st_style_9p = {
    .name = "9p", .begin = ninep_init, .record = ninep_print_record,
    .end = ninep_print_totals,
};
