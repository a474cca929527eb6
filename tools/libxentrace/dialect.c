/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules for the dialect.  Each rule holds for every record of its kind in any
 * Xen; a rule with exceptions would not be one.
 */
#include "libxentrace/dialect.h"

#include <assert.h>

#include "libxentrace/catalogue.h"
#include "libxentrace/readers.h"

#define XEN_4_18 0x0412
#define XEN_4_19 0x0413

/* Bits with the levels of paging in the id of a shadow event. */
#define LEVELS 0xf00

/* The four forms: 64 bits, nested guest. */
#define EXIT_FORMS (TRC_64_FLAG | TRC_HVM_NESTEDFLAG)

static void guess_version(struct xt_dialect *d, uint16_t version)
{
    if ( !d->version )
        d->version = version;
}

static void guess_hardware(struct xt_dialect *d, enum xt_hardware hardware)
{
    if ( !d->hardware )
        d->hardware = hardware;
}

/*
 * The collector's record meta_xen; a later record replaces an earlier one.  A
 * field that the collector did not know (all ones) can still be learned.
 */
static void learn_meta_xen(struct xt_dialect *d, const struct xt_record *r)
{
    uint16_t major = xt_field_load(r, XT_AT(meta_xen, major));
    uint16_t minor = xt_field_load(r, XT_AT(meta_xen, minor));
    uint32_t hardware = xt_field_load(r, XT_AT(meta_xen, hardware));
    bool has_version = (major & minor) != UINT16_MAX;

    if ( !xt_field_present(r, XT_AT(meta_xen, hardware)) )
        return;
    if ( has_version )
        d->version = (major & 0xff) << 8 | (minor & 0xff);
    if ( hardware != UINT32_MAX )
        d->hardware = hardware;
    d->from_metadata |= has_version && hardware != UINT32_MAX;
}

/* Since 4.19 exits of AMD have an id of their own. */
static void learn_from_exit(struct xt_dialect *d, const struct xt_record *r)
{
    _Static_assert(XT_BITS(hvm_vmexit_until_4_18, reason) == 32 &&
                   XT_BITS(hvm_svm_exit, reason) == 32, "one word in each");

    uint32_t reason = xt_field_load(r, XT_AT(hvm_vmexit_until_4_18, reason));

    if ( r->event & TRC_HVM_NESTEDFLAG || xt_exit_is_svm(reason) )
        guess_hardware(d, XT_HARDWARE_SVM);
    if ( d->hardware == XT_HARDWARE_SVM && r->words )
        guess_version(d, XEN_4_18);
}

/*
 * Up to 4.18 the order is in the upper half of the domain's word.  In 4.19 each
 * has a word, and the upper half of the domain's is zero: a set bit implies
 * 4.18.
 */
static void learn_from_domain(struct xt_dialect *d, const struct xt_record *r,
                              struct xt_field_place dom)
{
    assert(dom.bits == 32);
    if ( xt_field_load(r, dom) >> 16 )
        guess_version(d, XEN_4_18);
}

/* 4.19 added a word to these. */
static bool is_unshadow(uint32_t event)
{
    event &= ~LEVELS;
    return event >= TRC_SHADOW_EMULATE_UNSHADOW_USER &&
           event <= TRC_SHADOW_EMULATE_UNSHADOW_UNHANDLED;
}

/* Learn the version from a size that fits only one declaration of the event. */
static void learn_from_size(struct xt_dialect *d, const struct xt_record *r)
{
    const struct xt_event *fits = NULL;

    for ( const struct xt_event *e = xt_catalogue_next(NULL, r->event); e;
          e = xt_catalogue_next(e, r->event) )
    {
        if ( e->id != r->event || !xt_event_fits(e, r->words) )
            continue;
        if ( fits )
            return;
        fits = e;
    }
    if ( fits && fits->since )
        guess_version(d, fits->since);
    else if ( fits && fits->until )
        guess_version(d, fits->until);
}

void xt_dialect_learn(struct xt_dialect *d, const struct xt_record *r)
{
    switch ( r->event )
    {
    case TRC_META_XEN:
        learn_meta_xen(d, r);
        break;
    case TRC_HVM_INTR:
        /* Intel's record has the vector; AMD's cannot. */
        guess_hardware(d, r->words ? XT_HARDWARE_VMX : XT_HARDWARE_SVM);
        break;
    case TRC_MEM_DECREASE_RESERVATION:
        learn_from_domain(d, r, XT_AT(mem_decrease_reservation, dom));
        break;
    case TRC_MEM_POD_SUPERPAGE_SPLINTER:
        learn_from_domain(d, r, XT_AT(mem_pod_superpage_splinter, dom));
        break;
    case TRC_MEM_POD_POPULATE:
        learn_from_domain(d, r, XT_AT(mem_pod_populate, dom));
        break;
    case TRC_MEM_POD_ZERO_RECLAIM:
        learn_from_domain(d, r, XT_AT(mem_pod_zero_reclaim, dom));
        break;
    }
    if ( (r->event & ~EXIT_FORMS) == TRC_HVM_VMEXIT )
        learn_from_exit(d, r);
    else if ( (r->event & ~EXIT_FORMS) == TRC_HVM_SVM_EXIT )
    {
        guess_hardware(d, XT_HARDWARE_SVM);
        guess_version(d, XEN_4_19);
    }
    else if ( is_unshadow(r->event) && !d->version )
        learn_from_size(d, r);
}

void xt_dialect_assume(struct xt_dialect *d, uint16_t version,
                       enum xt_hardware hardware)
{
    guess_version(d, version);
    guess_hardware(d, hardware);
}
