/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The types of options, a row each.  All numeric types share store_number();
 * the row has the parser, the width of the member and the name for messages.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/closest-word.h"
#include "common/opts-private.h"

static void *get_target(const struct opt *o, void *config)
{
    return (char *)config + o->at;
}

const char *opt_label(const struct opt *o, char buf[OPT_LABEL_MAX])
{
    if ( o->name != NULL )
        snprintf(buf, OPT_LABEL_MAX, "--%s", o->name);
    else
        snprintf(buf, OPT_LABEL_MAX, "-%c", o->letter);
    assert(o->name == NULL || strlen(o->name) + 2 < OPT_LABEL_MAX);
    return buf;
}

const char *opt_choices(const struct opt *o, const char *between,
                        char buf[OPT_ARG_MAX])
{
    const char *const *c;
    size_t len = 0;

    assert(o->choices != NULL && o->choices[0] != NULL);
    for ( c = o->choices; *c != NULL && len < OPT_ARG_MAX; c++ )
        len += snprintf(buf + len, OPT_ARG_MAX - len, "%s%s",
                        len != 0 ? between : "", *c);
    assert(len < OPT_ARG_MAX);
    return buf;
}

bool opt_takes_text(const struct opt *o)
{
    if ( opt_kind(o->type)->bare )
        return false;

    return o->type != OPT_CALL || o->arg != NULL;
}

const char *opt_arg(const struct opt *o, char buf[OPT_ARG_MAX])
{
    assert(opt_takes_text(o));
    if ( o->arg != NULL )
        return o->arg;
    return o->choices != NULL ? opt_choices(o, "|", buf) : "VALUE";
}

/* True: no text, or "yes" of a preset.  --no-NAME has the text "no". */
static int store_flag(const struct opt *o, const char *text, void *config,
                      struct err *e)
{
    (void)e;
    assert(text == NULL || !strcmp(text, "yes") || !strcmp(text, "no"));
    *(bool *)get_target(o, config) = text == NULL || *text == 'y';
    return 0;
}

static int store_text(const struct opt *o, const char *text, void *config,
                      struct err *e)
{
    (void)e;
    *(const char **)get_target(o, config) = text;
    return 0;
}

/* An empty name comes from an unset variable of a script. */
static int store_file(const struct opt *o, const char *text, void *config,
                      struct err *e)
{
    char label[OPT_LABEL_MAX], arg[OPT_ARG_MAX];

    if ( *text == '\0' )
        return err_usage(e, "%s: needs an argument %s, not an empty one",
                         opt_label(o, label), opt_arg(o, arg));
    return store_text(o, text, config, e);
}

static int store_choice(const struct opt *o, const char *text, void *config,
                        struct err *e)
{
    char label[OPT_LABEL_MAX];
    int i = closest_word_find(o->choices, text, strlen(text));

    if ( i < 0 )
        return closest_word_refuse(o->choices, opt_label(o, label), text, e);
    *(unsigned int *)get_target(o, config) = i;
    return 0;
}

static int call_back(const struct opt *o, const char *text, void *config,
                     struct err *e)
{
    return o->parse(o, text, config, e);
}

static uint64_t get_max(const struct opt *o)
{
    uint64_t most = opt_kind(o->type)->most;

    assert(o->max == 0 || o->min <= o->max);
    return o->max != 0 && o->max < most ? o->max : most;
}

const char *opt_range(const struct opt *o, char buf[OPT_RANGE_MAX])
{
    const struct opt_kind *k = opt_kind(o->type);
    char low[OPT_NUMBER_MAX], high[OPT_NUMBER_MAX];

    buf[0] = '\0';
    if ( k->show == NULL || (o->min == 0 && o->max == 0) )
        return buf;

    k->show(o->min, low);
    k->show(get_max(o), high);
    if ( get_max(o) == k->most )
        snprintf(buf, OPT_RANGE_MAX, "%sat least %s", o->or_zero ? "0 or " : "",
                 low);
    else
        snprintf(buf, OPT_RANGE_MAX, "%s%s to %s", o->or_zero ? "0 or " : "",
                 low, high);
    return buf;
}

/* `rc` != 0: the number does not fit into 64 bits, or is negative. */
static int out_of_range(const struct opt *o, const char *text, int rc,
                        struct err *e)
{
    char label[OPT_LABEL_MAX], range[OPT_RANGE_MAX];
    bool bounded = get_max(o) != opt_kind(o->type)->most;

    opt_label(o, label);
    opt_range(o, range);
    if ( *range == '\0' && *text == '-' )
        return err_usage(e, "%s %s: must be at least 0", label, text);
    if ( *range == '\0' || (rc && !bounded && *text != '-') )
        return err_usage(e, "%s %s: too large", label, text);

    return err_usage(e, "%s %s: must be %s", label, text, range);
}

static bool is_in_range(const struct opt *o, uint64_t value)
{
    return (value >= o->min && value <= get_max(o)) || (o->or_zero && !value);
}

static int store_number(const struct opt *o, const char *text, void *config,
                        struct err *e)
{
    const struct opt_kind *k = opt_kind(o->type);
    char label[OPT_LABEL_MAX];
    uint64_t value = 0;
    int rc = k->read(text, &value);

    if ( rc == -EINVAL && *text == '-' && !k->read(text + 1, &value) )
        rc = -ERANGE;
    if ( rc == -EINVAL )
        return err_usage(e, "%s %s: not %s; it looks like %s",
                         opt_label(o, label), text, k->name, k->like);
    if ( rc || !is_in_range(o, value) )
        return out_of_range(o, text, rc, e);

    if ( o->type == OPT_UINT )
        *(unsigned int *)get_target(o, config) = value;
    else
        *(uint64_t *)get_target(o, config) = value;
    return 0;
}

const struct opt_kind *opt_kind(enum opt_type type)
{
    static const struct opt_kind kinds[] = {
        [OPT_GROUP]  = { .bare = true },
        [OPT_FLAG]   = { .store = store_flag, .bare = true },
        [OPT_TEXT]   = { .store = store_text },
        [OPT_FILE]   = { .store = store_file },
        [OPT_CHOICE] = { .store = store_choice, .fixed = true },
        [OPT_CALL]   = { .store = call_back },
        [OPT_UINT] = {
            .store = store_number, .fixed = true,
            .read = opts_number, .show = opts_show_number,
            .most = UINT_MAX, .name = "a number", .like = "12 or 0x1f",
        },
        [OPT_U64] = {
            .store = store_number, .fixed = true,
            .read = opts_number, .show = opts_show_number,
            .most = UINT64_MAX, .name = "a number", .like = "12 or 0x1f",
        },
        [OPT_SIZE] = {
            .store = store_number, .fixed = true,
            .read = opts_size, .show = opts_show_size,
            .most = UINT64_MAX, .name = "a size", .like = "4096, 64k or 1.5G",
        },
        [OPT_TIME] = {
            .store = store_number, .fixed = true,
            .read = opts_time, .show = opts_show_time,
            .most = UINT64_MAX, .name = "a time",
            .like = "10, 0.5s, 20ms or 1h",
        },
        [OPT_HZ] = {
            .store = store_number, .fixed = true,
            .read = opts_hz, .show = opts_show_hz,
            .most = UINT64_MAX, .name = "a frequency", .like = "2.4G or 2400M",
        },
    };

    assert((size_t)type < sizeof(kinds) / sizeof(kinds[0]));
    return &kinds[type];
}

int opt_store(const struct opt *o, const char *text, void *config,
              struct err *e)
{
    char label[OPT_LABEL_MAX];
    int rc;

    assert(o->type != OPT_GROUP);
    rc = opt_kind(o->type)->store(o, text, config, e);

    /* err_set() keeps a reason that .parse has set. */
    if ( rc )
        err_sys(e, rc, "%s%s%s", opt_label(o, label), text ? " " : "",
                text ? text : "");
    return rc;
}
