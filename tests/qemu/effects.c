/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that generated code calls, each of which prints its arguments;
 * and the loop over all trace points (calls.h, which drop-in.sh generates).
 */
#include "qemu/osdep.h"

#include <sys/mman.h>
#include <syslog.h>

#include "trace/control.h"
#include "trace/ftrace.h"
#include "trace/simple.h"

int trace_events_enabled_count;
int trace_marker_fd = 1;
bool message_with_timestamp;
bool ust_is_enabled;
unsigned int qemu_loglevel;

void __attribute__((format(printf, 1, 2))) qemu_log(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    dprintf(1, "log ");
    vdprintf(1, format, args);
    va_end(args);
}

void syslog(int priority, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    dprintf(1, "syslog %d ", priority);
    vdprintf(1, format, args);
    dprintf(1, "\n");
    va_end(args);
}

int trace_record_start(TraceBufferRecord *rec, uint32_t id, size_t arglen)
{
    rec->tbuf_idx = id;
    dprintf(1, "record id %u, %zu bytes:", id, arglen);
    return 0;
}

void trace_record_write_u64(TraceBufferRecord *rec, uint64_t value)
{
    (void)rec;
    dprintf(1, " %#" PRIx64, value);
}

void trace_record_write_str(TraceBufferRecord *rec, const char *s, uint32_t n)
{
    (void)rec;
    dprintf(1, " \"%.*s\" (%u)", (int)n, s ? s : "", n);
}

void trace_record_finish(TraceBufferRecord *rec)
{
    dprintf(1, " end of %u\n", rec->tbuf_idx);
}

void trace_event_register_group(TraceEvent **events)
{
    for ( unsigned int i = 0; events[i]; i++ )
    {
        assert(!*events[i]->dstate && !events[i]->id);
        events[i]->id = i + 1;
#ifdef TRACE_VCPU_EVENT_NONE
        if ( events[i]->vcpu_id != TRACE_VCPU_EVENT_NONE )
            events[i]->vcpu_id = 3;
#endif
        dprintf(1, "event %u: %s%s\n", i + 1, events[i]->name,
                events[i]->sstate ? "" : " (disabled)");
    }
}

CPUState *vcpu;         /* at a fixed address, since it is printed */
void call_all(void);

int main(void)
{
    vcpu = mmap((void *)0x10000000, sizeof(*vcpu), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if ( vcpu == MAP_FAILED )
        return 1;
    vcpu->trace_dstate = ~0ul;
    for ( unsigned int state = 0; state < 16; state++ )
    {
        trace_events_enabled_count = state & 1;
        qemu_loglevel = state & 2 ? ~0u : 0;
        message_with_timestamp = state & 4;
        ust_is_enabled = state & 8;
        dprintf(1, "state %u\n", state);
        call_all();
    }
    return 0;
}
