/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For a PVH guest: trace one guest event with a fixed mark in its payload.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <xencall.h>

#include <xen/xen.h>
#include <xen/hvm/hvm_op.h>

#define EVENT 0x123
#define MARK 0x600df00d

int main(void)
{
    xencall_handle *call = xencall_open(NULL, 0);
    xen_hvm_xentrace_t *trace = NULL;
    const uint32_t words[2] = { MARK, sizeof(words) };
    int rc = -1;

    if ( call )
        trace = xencall_alloc_buffer(call, sizeof(*trace));
    if ( trace )
    {
        trace->event = EVENT;
        trace->extra_bytes = sizeof(words);
        memcpy(trace->extra, words, sizeof(words));
        rc = xencall2(call, __HYPERVISOR_hvm_op, HVMOP_xentrace,
                      (unsigned long)trace);
    }
    if ( rc )
        printf("[guest] no event of its own: %d\n", rc);

    return !!rc;
}
