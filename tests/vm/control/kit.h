/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common functions of the tests of the control operations: TAP output, checks
 * that count failures and continue, a load, a defined initial state.
 */
#ifndef KIT_H
#define KIT_H

#include <sys/types.h>

#include <xen/sysctl.h>

#include "tb.h"

#define OP(name) XEN_SYSCTL_TBUFOP_ ## name
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct kit {
    unsigned int cpus;       /* number of possible CPUs */
    unsigned int hot_cpu;    /* used for hotplug; 0: only one CPU */
    unsigned int percent;    /* percentage of the default rounds */
    unsigned int failed;     /* failed checks of the current test */
    double deadline;         /* end of the current test, by now() */
};

struct kit *kit(void);

void __attribute__((format(printf, 1, 2))) print_note(const char *format, ...);

#define CHECK(cond, format, ...)                                          \
    do {                                                                  \
        if ( !(cond) && ++kit()->failed <= 10 )                           \
            print_note("%s:%d: %s: " format, __FILE__, __LINE__, #cond,   \
                       ##__VA_ARGS__);                                    \
    } while ( 0 )

#define CHECK_RC(call, want)                                              \
    do {                                                                  \
        int rc_ = (call);                                                 \
        if ( rc_ != (want) && ++kit()->failed <= 10 )                     \
            print_note("%s:%d: %s is %d, not %d", __FILE__, __LINE__, #call,\
                       rc_, want);                                        \
    } while ( 0 )

/* Check for errors in the records read; sum up all CPUs; print the sums. */
void check_seen(const struct tb_seen *s, const char *when);
struct tb_seen sum_seen(const struct tb_seen *s);
void print_seen(const struct tb_seen *s);
bool lacks_numbers(const struct tb_seen *s, double until);
uint64_t total_lost(const struct tb_state *s);

/* Repetitions end early on a busy machine. */
unsigned int scale_rounds(unsigned int default_rounds);
double now(void);
bool is_in_time(void);
void pause_us(long us);
void pin_to_cpu(unsigned int cpu);

/* A process per vcpu that numbers its hypercalls. */
int share_numbers(void);
void start_load(void);
void stop_load(void);
void wait_for_load(uint64_t bytes);

/* Free the rings, trace all events; and allocate rings, enable, map. */
int free_rings(void);
bool start_tracing(struct tb_view *v, unsigned int pages);

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
