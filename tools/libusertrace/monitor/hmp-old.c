/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of QEMU 0.13 to 1.1, for scripts of that time.  "info
 * trace-events" prints event numbers, "info trace" shows the records in the
 * rings, and "trace-file set" opens the new file.
 */
#include <inttypes.h>
#include <string.h>

#include "libusertrace/monitor/hmp-private.h"
#include "libusertrace/simple-format.h"
#include "libusertrace/simple-backend.h"
#include "libusertrace/trace/usertrace.h"

#define WORDS 6u                /* printed per event */

void mon_old_show_events(struct mon_call *c)
{
    TraceEventIter iter;
    TraceEvent *ev;

    trace_event_iter_init_all(&iter);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
        mon_reply_line(c, "%s [Event ID %u] : state %u", ev->name, ev->id,
                       trace_event_get_state_dynamic(ev));
}

void mon_old_switch_events(struct mon_call *c)
{
    bool on;

    if ( mon_parse_switch(c, &on) && !trace_event_set_state(c->words[0], on) )
        mon_reply_line(c, "unknown event name \"%s\"", c->words[0]);
}

/*
 * In the old format, arguments were words, and a string was its address.  Here
 * the bytes are printed as words, whatever they are: only simpletrace knows
 * the declarations.
 */
static void reply_record(const char *record, size_t bytes, void *arg)
{
    uint64_t words[WORDS] = { 0 };
    struct simple_head head;

    memcpy(&head, record, sizeof(head));
    bytes -= sizeof(head);
    memcpy(words, record + sizeof(head),
           bytes < sizeof(words) ? bytes : sizeof(words));
    mon_reply_line(arg, "Event %" PRIu64 " : %" PRIx64 " %" PRIx64 " %" PRIx64
                   " %" PRIx64 " %" PRIx64 " %" PRIx64, head.id, words[0],
                   words[1], words[2], words[3], words[4], words[5]);
}

void mon_old_show_records(struct mon_call *c)
{
    ut_simple_peek_records(reply_record, c);
}

void mon_old_trace_file(struct mon_call *c)
{
    struct err e = ERR_INIT;

    mon_trace_file(c);
    if ( c->nr > 1 && !strcmp(c->words[0], "set") &&
         usertrace_file(USERTRACE_FILE_ON, &e) )
        mon_reply_line(c, "%s", e.text);
}
