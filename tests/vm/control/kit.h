/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kit of the tests of the control operations: TAP's notes, checks that
 * count and go on, a load, a known start.
 */
#ifndef KIT_H
#define KIT_H

#include <sys/types.h>

#include <xen/sysctl.h>

#include "tb.h"

#define OP(name) XEN_SYSCTL_TBUFOP_ ## name
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct kit {
    unsigned int cpus;       /* all possible */
    unsigned int hot_cpu;    /* goes and comes; 0: none to spare */
    unsigned int percent;    /* of the usual rounds */
    unsigned int failed;     /* checks of the present test */
    double deadline;         /* of the present test, by now() */
};

struct kit *kit(void);

void __attribute__((format(printf, 1, 2))) note(const char *format, ...);

#define CHECK(cond, format, ...)                                          \
    do {                                                                  \
        if ( !(cond) && ++kit()->failed <= 10 )                           \
            note("%s:%d: %s: " format, __FILE__, __LINE__, #cond,         \
                 ##__VA_ARGS__);                                          \
    } while ( 0 )

#define CHECK_RC(call, want)                                              \
    do {                                                                  \
        int rc_ = (call);                                                 \
        if ( rc_ != (want) && ++kit()->failed <= 10 )                     \
            note("%s:%d: %s is %d, not %d", __FILE__, __LINE__, #call,    \
                 rc_, want);                                              \
    } while ( 0 )

/* Of what was read: no errors; totals; a line on them. */
void check_seen(const struct tb_seen *s, const char *when);
struct tb_seen sum(const struct tb_seen *s);
void note_seen(const struct tb_seen *s);
uint64_t lost_of(const struct tb_state *s);

/* Whatever is repeated ends early on a machine that is busy with others. */
unsigned int rounds(unsigned int usual);
double now(void);
bool in_time(void);
void pause_us(long us);
void pin(unsigned int cpu);

/* A process a vcpu, which numbers its hypercalls. */
int share_numbers(void);
void start_load(void);
void stop_load(void);
void wait_for_load(uint64_t bytes);

/* No rings, all masked in; and rings of `pages`, tracing on, mapped. */
int reset(void);
bool begin(struct tb_view *v, unsigned int pages);

/* The tests. */
void test_refused(void);
void test_no_rings(void);
void test_set_size(void);
void test_state(void);
void test_state_short(void);
void test_huge(void);
void test_drain(void);
void test_enable_disable(void);
void test_hostile(void);
void test_overwrite(void);
void test_busy(void);
void test_busy_each_page(void);
void test_reader_dies(void);
void test_free_race(void);
void test_resize(void);
void test_hotplug(void);
void test_hotplug_control(void);
void test_hotplug_race(void);

#endif
