/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ground-truth log: one function per kind of line. xensim(1) lists the
 * lines. Without --truth the functions do nothing.
 */
#ifndef XENSIM_GROUND_TRUTH_H
#define XENSIM_GROUND_TRUTH_H

#include "xensim/workload/sim.h"

/* Log the machine and its clocks. */
void truth_log_start(struct sim *s);
/* Log the states in progress, then the record counts. */
void truth_log_end(struct sim *s);

/*
 * Log the end of v->state, which began at v->since; the time is that of the
 * last record.
 */
void truth_log_runstate(struct sim_cpu *p, const struct sim_vcpu *v);
/* Log the last state of a vcpu that has gone. */
void truth_log_last_state(struct sim_cpu *p, const struct sim_vcpu *v);
/* Log a wake-up, with its latency, when the vcpu starts to run on p. */
void truth_log_wake(struct sim_cpu *p, struct sim_vcpu *v);
/* Log an I/O that the backend's vcpu has answered. */
void truth_log_io(struct sim_cpu *p, const struct sim_vcpu *v,
                  const struct sim_vcpu *backend);
/* Log an access that the device model on the backend's vcpu has answered. */
void truth_log_emulated(struct sim_cpu *p, const struct sim_vcpu *v,
                        const struct sim_vcpu *backend);
/* Log an event of the program on the backend's vcpu. */
void truth_log_program(struct sim_cpu *p, const struct sim_vcpu *backend,
                       const char *event, uint32_t pid);
/*
 * Log a wait of a vcpu that starts to run on p, before v->state changes, with
 * its causes.
 */
void truth_log_wait(struct sim_cpu *p, const struct sim_vcpu *v);
/*
 * Log an interrupt of the host whose handler began at `from`, and ended with
 * the last record; `woken` is NULL if the handler woke no vcpu.
 */
void truth_log_interrupt(struct sim_cpu *p, unsigned int irq, uint64_t from,
                         const struct sim_vcpu *woken);
/* In virtual time: log a vector that the running vcpu gets at an entry. */
void truth_log_injection(struct sim_cpu *p, uint8_t vector);
/* Log the storm of exits of a vcpu that has ended. */
void truth_log_exit_storm(struct sim_cpu *p, struct sim_vcpu *v);
/* In virtual time: log that the running vcpu gets its APIC timer's vector. */
void truth_log_timer(struct sim_cpu *p, const struct sim_vcpu *v);
/* Log the spin loops of a vcpu that have ended. */
void truth_log_spin(struct sim_cpu *p, struct sim_vcpu *v);
/* Log that the whole machine stood still. */
void truth_log_stall(struct sim *s, uint64_t from, uint64_t to);
/* A span of time begins or ends, at the time of the last record. */
void truth_begin_span(struct sim_cpu *p, struct sim_spans *spans);
void truth_end_span(struct sim_cpu *p, struct sim_spans *spans);
/* The vcpu is parked, or its budget is back. */
void truth_begin_park(struct sim_cpu *p, struct sim_vcpu *v);
void truth_end_park(struct sim_cpu *p, struct sim_vcpu *v);
void truth_log_migration(struct sim_cpu *p, const struct sim_vcpu *v,
                         const struct sim_cpu *to);
/* Log an exit at its entry. Any context. */
void truth_log_exit(struct sim_cpu *p, struct sim_vcpu *v);
/* Log the buffered exits of interrupt handlers. */
void truth_log_deferred(struct sim_cpu *p);
void truth_log_domain(struct sim_cpu *p, const struct sim_dom *d,
                      const char *event);
void truth_log_cpu(struct sim_cpu *p, const char *event);
void truth_log_clock(struct sim_cpu *p);

#endif /* XENSIM_GROUND_TRUTH_H */
