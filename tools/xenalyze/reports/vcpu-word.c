/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xenalyze/reports/vcpu-word.h"

#include <string.h>

#include "common/opts.h"
#include "xenalyze/filter/filter.h"

/* "d1", "d1v0", "1", "1/0".  False: something else. */
static bool parse_numbers(struct vcpu_word *w, const char *word)
{
    bool has_prefix = *word == 'd';
    size_t length;
    char domain[16];

    word += has_prefix;
    length = strcspn(word, has_prefix ? "v" : "/");
    if ( !length || length >= sizeof(domain) )
        return false;
    memcpy(domain, word, length);
    domain[length] = '\0';
    w->has_vcpu = word[length];
    return !opts_number(domain, &w->domain) &&
           (!w->has_vcpu || !opts_number(word + length + 1, &w->id));
}

/* "web1", "web1/0". */
static int parse_domain_name(struct vcpu_word *w, const char *option,
                             const char *word,
                             const struct xt_domain_names *names,
                             struct err *e)
{
    const char *slash = strrchr(word, '/');
    size_t length = slash ? (size_t)(slash - word) : strlen(word);
    char name[XT_NAME_MAX];

    w->has_vcpu = slash && !opts_number(slash + 1, &w->id);
    if ( slash && !w->has_vcpu )
        length = strlen(word);
    if ( length >= sizeof(name) )
        length = sizeof(name) - 1;
    memcpy(name, word, length);
    name[length] = '\0';
    return filter_find_domain(names, option, name, &w->domain, e);
}

int vcpu_word_parse(struct vcpu_word *w, const char *option, const char *word,
                    const struct xt_domain_names *names, struct err *e)
{
    *w = (struct vcpu_word){ .has_vcpu = false };
    return parse_numbers(w, word)
           ? 0 : parse_domain_name(w, option, word, names, e);
}
