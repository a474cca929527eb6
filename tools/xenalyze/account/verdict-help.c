/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each scheduler of Xen has its own command and its own limits: credit and
 * credit2 have weights and caps, RTDS has budgets, the others have neither.  A
 * command of another scheduler fails in xl, so an unknown scheduler gets the
 * words of the rule, which name no such command.
 */
#include "xenalyze/account/verdict-help.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In a text: '@' is the domain, '#' the option for its pool or nothing. */
static const char *const helps[VERDICT_LIMITS][XT_SCHEDULERS] = {
    [VERDICT_CAP] = {
        [XT_SCHEDULER_CREDIT] = "a higher cap: xl sched-credit -d @ -c N",
        [XT_SCHEDULER_CREDIT2] = "a higher cap: xl sched-credit2 -d @ -c N",
        [XT_SCHEDULER_RTDS] =
            "budget: xl sched-rtds -d @ -v all -p USEC -b USEC",
    },
    [VERDICT_RATE_LIMIT] = {
        [XT_SCHEDULER_CREDIT] =
            "a lower rate limit: xl sched-credit -s# -r USEC",
        [XT_SCHEDULER_CREDIT2] =
            "a lower rate limit: xl sched-credit2 -s# -r USEC",
    },
    [VERDICT_NEIGHBOUR] = {
        [XT_SCHEDULER_RTDS] =
            "other pcpus or a smaller budget for the neighbour",
    },
    [VERDICT_CROWD] = {
        [XT_SCHEDULER_RTDS] =
            "fewer domains on these pcpus, or a larger budget for it",
    },
    [VERDICT_SHARE] = {
        [XT_SCHEDULER_CREDIT] = "more weight: xl sched-credit -d @ -w N",
        [XT_SCHEDULER_CREDIT2] = "more weight: xl sched-credit2 -d @ -w N",
        [XT_SCHEDULER_RTDS] =
            "budget: xl sched-rtds -d @ -v all -p USEC -b USEC",
    },
};

/* --- the scheduler -------------------------------------------------------- */

static const struct xt_rec_meta_pool *find_pool_of(const struct xt_host *host,
                                                uint16_t domain)
{
    const struct xt_rec_meta_domain *d = xt_host_domain(host, domain);

    return d && d->pool >= 0 ? xt_host_pool(host, d->pool) : NULL;
}

/* The scheduler of the domain's pool, or the one that its limits are of. */
static uint32_t find_scheduler_of(const struct xt_host *host, uint16_t domain)
{
    const struct xt_rec_meta_pool *pool = find_pool_of(host, domain);
    const struct xt_rec_meta_domain_weight *w = xt_host_weight(host, domain);

    if ( pool )
        return pool->scheduler;
    if ( w )
        return w->scheduler;
    return xt_host_budget(host, domain, 0) ? XT_SCHEDULER_RTDS
                                           : XT_SCHEDULER_UNKNOWN;
}

static const char *find_form(const struct verdict_rule *rule,
                             const struct xt_domain_names *names,
                             uint16_t domain)
{
    uint32_t scheduler = names ? find_scheduler_of(&names->host, domain)
                               : XT_SCHEDULER_UNKNOWN;
    const char *form = scheduler < XT_SCHEDULERS
                       ? helps[rule->limit][scheduler] : NULL;

    assert(rule->limit < VERDICT_LIMITS && rule->help);
    return form ? form : rule->help;
}

/* --- the domain ----------------------------------------------------------- */

#define DIGITS "0123456789"
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-" DIGITS
#define WORD_MAX (XT_NAME_MAX + 8)

/*
 * Does the name lead to the domain?  xl takes digits for an id, and a leading
 * '-' for an option.  A "?" may stand for another byte, and a name of the
 * greatest length may have been cut.
 */
static bool is_domain_word(const char *name)
{
    return name && *name && *name != '-' && !strpbrk(name, "'?") &&
           name[strspn(name, DIGITS)] && strlen(name) < XT_NAME_MAX - 1;
}

static void write_domain_id(uint16_t domain, char word[WORD_MAX])
{
    snprintf(word, WORD_MAX, "%" PRIu16, domain);
}

static void write_domain_word(const struct xt_domain_names *names,
                              uint16_t domain, char word[WORD_MAX])
{
    const char *name = xt_domain_name(names, domain);

    if ( !is_domain_word(name) )
        write_domain_id(domain, word);
    else if ( !name[strspn(name, PLAIN)] )
        snprintf(word, WORD_MAX, "%s", name);
    else
        snprintf(word, WORD_MAX, "'%s'", name);
}

/* --- the text ------------------------------------------------------------- */

/* xl changes the parameters of pool 0 unless -p names another pool. */
static void write_pool_option(const struct xt_host *host, uint16_t domain,
                              char word[WORD_MAX])
{
    const struct xt_rec_meta_pool *pool = find_pool_of(host, domain);

    word[0] = '\0';
    if ( pool && pool->pool )
        snprintf(word, WORD_MAX, " -p %" PRIu32, pool->pool);
}

struct help_words
{
    char domain[WORD_MAX], pool[WORD_MAX];
};

/* The length of the text, which is cut beyond VERDICT_HELP_MAX. */
static size_t fill_in_words(const char *form, const struct help_words *w,
                            char text[VERDICT_HELP_MAX])
{
    size_t n = 0;

    for ( ; *form && n < VERDICT_HELP_MAX; form++ )
    {
        if ( *form != '@' && *form != '#' )
            text[n++] = *form;
        else
            n += snprintf(text + n, VERDICT_HELP_MAX - n, "%s",
                          *form == '@' ? w->domain : w->pool);
    }
    if ( n >= VERDICT_HELP_MAX )
        n = VERDICT_HELP_MAX - 1;
    text[n] = '\0';
    return n;
}

const char *verdict_write_help(const struct verdict_rule *rule,
                               const struct xt_domain_names *names,
                               uint16_t domain, size_t most,
                               char text[VERDICT_HELP_MAX])
{
    const char *form = find_form(rule, names, domain);
    struct help_words w = { .pool = "" };

    write_domain_word(names, domain, w.domain);
    if ( names )
        write_pool_option(&names->host, domain, w.pool);
    if ( fill_in_words(form, &w, text) > most )
    {
        write_domain_id(domain, w.domain);
        fill_in_words(form, &w, text);
    }
    return text;
}
