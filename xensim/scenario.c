/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parser of scenario files. Each line is an option, of the program's table or
 * of the table of domain keys below. So all values share one grammar and one
 * style of error messages.
 */
#include "xensim/scenario.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xen/lib.h>

#define FILE_MAX (1 << 20)
#define WEIGHT_MAX 65535
#define PAUSE_MIN 10000         /* ns */
#define AT(field) offsetof(struct section, field)

/*
 * A [domain] section: a domain's configuration, and values that need
 * conversion.
 */
struct section
{
    struct dom_config o;
    unsigned int kind;          /* index of the choice */
    const char *new_name;
    bool has_new_pin;
};

#define BAD_NAME "names are of letters, digits, '-', '_' and '.', up to 31"

/* Names need no quoting or escaping in any output. */
static bool is_name(const char *text)
{
    size_t length = strlen(text);

    return length && length < SIM_NAME_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz"
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == length;
}

static int parse_range(const struct opt *opt, const char *text,
                       struct cpu_range *range, struct err *e)
{
    const char *dash = strchr(text, '-');
    char first[16];
    uint64_t from, to;

    snprintf(first, sizeof(first), "%.*s",
             dash ? (int)(dash - text) : (int)strlen(text), text);
    if ( opts_number(first, &from) ||
         opts_number(dash ? dash + 1 : first, &to) || from > to ||
         to >= NR_CPUS )
        return err_set(e, -EINVAL, "--%s %s: not pcpus; give one, or "
                       "FIRST-LAST", opt->name, text);
    *range = (struct cpu_range){ from, to };
    return 0;
}

static int parse_pin(const struct opt *opt, const char *text, void *config,
                     struct err *e)
{
    struct section *s = config;

    return parse_range(opt, text, &s->o.pin, e);
}

/* "all" removes the pinning of a domain. */
static int parse_new_pin(const struct opt *opt, const char *text,
                         void *config, struct err *e)
{
    struct section *s = config;

    s->has_new_pin = true;
    s->o.new_pin = (struct cpu_range){ 1, 0 };
    return strcmp(text, "all") ? parse_range(opt, text, &s->o.new_pin, e) : 0;
}

static const char *const loads[] = {
    "busy", "periodic", "io", "bursty", "quiet",
};

/* Compare a list item, which ends at the comma or at the end of the text. */
static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !strncmp(text, word, length);
}

/* Loads of the first vcpu, the second vcpu, ...; further vcpus start over. */
static int parse_loads(const struct opt *opt, const char *text, void *config,
                       struct err *e)
{
    struct dom_config *o = config;
    size_t length, i;

    for ( o->nr_loads = 0; ; text += length + 1 )
    {
        length = strcspn(text, ",");
        for ( i = 0; i < ARRAY_SIZE(loads); i++ )
            if ( is_word(text, length, loads[i]) )
                break;
        if ( i == ARRAY_SIZE(loads) || o->nr_loads == SIM_LOADS_MAX )
            return err_set(e, -EINVAL, "--%s %s: not a list of loads; those "
                           "are busy, periodic, io, bursty, quiet", opt->name,
                           text);
        o->loads[o->nr_loads++] = i;
        if ( !text[length] )
            return 0;
    }
}

_Static_assert(ARRAY_SIZE(loads) == SIM_QUIET + 1, "the index is the load");

static const char *const kinds[] = { "pv", "pvh", "hvm", NULL };

_Static_assert(SIM_PVH == SIM_PV + 1 && SIM_HVM == SIM_PV + 2,
               "the index is added to SIM_PV");

static const struct opt opts[] = {
    { .name = "copies", .type = OPT_UINT, .at = AT(o.copies), .arg = "N",
      .min = 1, .max = SIM_DOMAINS_MAX, .help = "number of identical domains" },
    { .name = "kind", .type = OPT_CHOICE, .at = AT(kind), .arg = "KIND",
      .choices = kinds, .help = "kind of domain" },
    { .name = "vcpus", .type = OPT_UINT, .at = AT(o.vcpus), .arg = "N",
      .min = 1, .max = SIM_VCPUS_MAX, .help = "vcpus per domain" },
    { .name = "load", .type = OPT_CALL, .parse = parse_loads,
      .arg = "LOAD,...", .help = "loads of the vcpus, round robin" },
    { .name = "period", .type = OPT_TIME, .at = AT(o.period), .arg = "TIME",
      .min = 10000, .max = 10000000000, .help = "period of the load" },
    { .name = "duty", .type = OPT_UINT, .at = AT(o.duty), .arg = "PERCENT",
      .min = 1, .max = 100, .help = "percent of the period, computing" },
    { .name = "weight", .type = OPT_UINT, .at = AT(o.weight), .arg = "N",
      .min = 1, .max = WEIGHT_MAX, .help = "weight of the vcpus" },
    { .name = "cap", .type = OPT_UINT, .at = AT(o.cap), .arg = "PERCENT",
      .min = 1, .max = 10000, .help = "cap, in percent of a pcpu" },
    { .name = "pin", .type = OPT_CALL, .parse = parse_pin, .arg = "PCPUS",
      .help = "permitted pcpus" },
    { .name = "emulated-tsc", .type = OPT_FLAG, .at = AT(o.emulated_tsc),
      .help = "reading the TSC exits" },
    { .name = "guest-events", .type = OPT_FLAG, .at = AT(o.guest_events),
      .help = "the guest emits own events" },
    { .name = "apic-timer", .type = OPT_FLAG, .at = AT(o.apic_timer),
      .help = "vcpus wait for the timer of their local APIC" },
    { .name = "spins", .type = OPT_FLAG, .at = AT(o.spins),
      .help = "vcpus spin while another one of the domain waits" },
    { .name = "start", .type = OPT_TIME, .at = AT(o.start), .arg = "TIME",
      .max = SIM_TIME_MAX, .help = "time of creation" },
    { .name = "stagger", .type = OPT_TIME, .at = AT(o.stagger),
      .arg = "TIME", .max = SIM_TIME_MAX, .help = "delay between copies" },
    { .name = "end", .type = OPT_TIME, .at = AT(o.end), .arg = "TIME",
      .max = SIM_TIME_MAX, .help = "time of shutdown" },
    { .name = "rename", .type = OPT_TIME, .at = AT(o.rename), .arg = "TIME",
      .max = SIM_TIME_MAX, .help = "time of renaming" },
    { .name = "new-name", .type = OPT_TEXT, .at = AT(new_name),
      .arg = "NAME", .help = "name after renaming" },
    { .name = "reweigh", .type = OPT_TIME, .at = AT(o.reweigh),
      .arg = "TIME", .max = SIM_TIME_MAX, .help = "time of the new weight" },
    { .name = "new-weight", .type = OPT_UINT, .at = AT(o.new_weight),
      .arg = "N", .min = 1, .max = WEIGHT_MAX, .help = "the new weight" },
    { .name = "repin", .type = OPT_TIME, .at = AT(o.repin), .arg = "TIME",
      .max = SIM_TIME_MAX, .help = "time of the new pinning" },
    { .name = "new-pin", .type = OPT_CALL, .parse = parse_new_pin,
      .arg = "PCPUS", .help = "the new pcpus, or \"all\"" },
    { .name = "pause", .type = OPT_TIME, .at = AT(o.pause), .arg = "TIME",
      .min = PAUSE_MIN, .max = SIM_TIME_MAX, .help = "interval of pauses" },
    { .name = "pause-for", .type = OPT_TIME, .at = AT(o.pause_for),
      .arg = "TIME", .min = PAUSE_MIN, .max = SIM_TIME_MAX,
      .help = "length of a pause" },
    { .name = "exit-storm", .type = OPT_TIME, .at = AT(o.exit_storm),
      .arg = "TIME", .max = SIM_TIME_MAX, .help = "time of a storm of exits" },
    { .name = "exit-storm-for", .type = OPT_TIME, .at = AT(o.exit_storm_for),
      .arg = "TIME", .min = PAUSE_MIN, .max = SIM_TIME_MAX,
      .help = "length of the storm" },
};

static const struct program domain_program = {
    .name = "domain", .version = "", .synopsis = "", .summary = "",
    .opts = opts, .nr_opts = ARRAY_SIZE(opts),
};

/* ---- lines ------------------------------------------------------------ */

struct reader
{
    struct scenario *s;
    const struct program *program;
    size_t config_size;
    const char *name;           /* name of the file */
    unsigned int line;
    struct section domain;
    bool in_domain;
};

static int line_error(const struct reader *r, struct err *e, const char *text)
{
    ASSERT(r->line);
    return err_set(e, -EINVAL, "%s:%u: %s", r->name, r->line, text);
}

static char *trim_blanks(char *text)
{
    size_t length;

    while ( isspace((unsigned char)*text) )
        text++;
    length = strlen(text);
    while ( length && isspace((unsigned char)text[length - 1]) )
        text[--length] = '\0';
    return text;
}

/* Make an argument for the option table. A flag takes "yes" or "no". */
static char *make_arg(const char *name, const char *value, bool flag)
{
    char *arg = NULL;
    int rc;

    if ( flag )
        rc = asprintf(&arg, "--%s%s", !strcmp(value, "no") ? "no-" : "",
                      name);
    else
        rc = asprintf(&arg, "--%s=%s", name, value);
    return rc < 0 ? NULL : arg;
}

static int check_flag(const struct reader *r, const char *value, struct err *e)
{
    return !strcmp(value, "yes") || !strcmp(value, "no") ? 0 :
           line_error(r, e, "the value of a flag is yes or no");
}

static const struct opt *find_option(const struct program *p, const char *name)
{
    for ( size_t i = 0; i < p->nr_opts; i++ )
        if ( p->opts[i].name && !strcmp(p->opts[i].name, name) )
            return &p->opts[i];
    return NULL;
}

/*
 * Parse an argument by its option table. An error gets file and line in front.
 */
static int try_option(const struct reader *r, const struct program *p,
                      char *arg, void *config, struct err *e)
{
    char *argv[] = { (char *)p->name, arg, NULL };
    struct err why = ERR_INIT;
    enum opts_next next;
    int first;

    if ( opts_parse(p, 2, argv, config, &first, &next, &why) )
        return line_error(r, e, why.text);
    return 0;
}

static int keep_arg(struct reader *r, char *arg)
{
    struct scenario *s = r->s;
    char **args = realloc(s->args, (s->nr_args + 1) * sizeof(*args));

    if ( !args )
        return -ENOMEM;
    s->args = args;
    args[s->nr_args++] = arg;
    return 0;
}

static int read_option(struct reader *r, const char *name, const char *value,
                       struct err *e)
{
    const struct opt *o = find_option(r->program, name);
    void *scratch = NULL;
    char *arg = NULL;
    int rc;

    if ( !o || !strcmp(name, "scenario") )
        return line_error(r, e, "no such option; xensim --help lists them, "
                          "[domain NAME] begins a domain");
    if ( o->type == OPT_FLAG && check_flag(r, value, e) )
        return -EINVAL;
    arg = make_arg(name, value, o->type == OPT_FLAG);
    scratch = calloc(1, r->config_size);
    if ( !arg || !scratch )
        rc = err_set(e, -ENOMEM, "no memory");
    else
        rc = try_option(r, r->program, arg, scratch, e);
    if ( !rc && keep_arg(r, arg) )
        rc = err_set(e, -ENOMEM, "no memory");
    free(scratch);
    if ( rc )
        free(arg);
    return rc;
}

static int read_key(struct reader *r, const char *name, const char *value,
                    struct err *e)
{
    const struct opt *o = find_option(&domain_program, name);
    char *arg;
    int rc;

    ASSERT(r->in_domain);
    if ( !o )
        return line_error(r, e, "no such key of a domain; xensim(1) lists "
                          "them");
    if ( !strcmp(name, "new-name") )
    {
        snprintf(r->domain.o.new_name, sizeof(r->domain.o.new_name), "%s",
                 value);
        return is_name(value) ? 0 : line_error(r, e, BAD_NAME);
    }
    if ( o->type == OPT_FLAG && check_flag(r, value, e) )
        return -EINVAL;
    arg = make_arg(name, value, o->type == OPT_FLAG);
    rc = arg ? try_option(r, &domain_program, arg, &r->domain, e)
             : err_set(e, -ENOMEM, "no memory");
    free(arg);
    return rc;
}

/* ---- domains ---------------------------------------------------------- */

/* The lives of all copies begin before changes of the domain, and its end. */
static int check_times(const struct reader *r, struct err *e)
{
    const struct dom_config *o = &r->domain.o;
    const struct
    {
        const char *key;
        uint64_t ns;
    } times[] = {
        { "end", o->end }, { "rename", o->rename }, { "reweigh", o->reweigh },
        { "repin", o->repin },
    };
    uint64_t start = o->start + (o->copies - 1) * o->stagger;
    char text[64];

    for ( size_t i = 0; i < ARRAY_SIZE(times); i++ )
        if ( times[i].ns && times[i].ns <= start )
        {
            snprintf(text, sizeof(text), "%s is not after start%s",
                     times[i].key, o->copies > 1 ? " of the last copy" : "");
            return line_error(r, e, text);
        }
    return 0;
}

static int end_domain(struct reader *r, struct err *e)
{
    struct dom_config *o = &r->domain.o, *dom_configs;
    struct scenario *s = r->s;

    if ( !r->in_domain )
        return 0;
    ASSERT(r->domain.kind < ARRAY_SIZE(kinds) - 1);
    o->kind = SIM_PV + r->domain.kind;
    if ( o->copies * o->vcpus > 1 << 16 )
        return line_error(r, e, "more than 65536 vcpus");
    if ( !o->rename != !o->new_name[0] )
        return line_error(r, e, "rename and new-name come together");
    if ( !o->reweigh != !o->new_weight || o->new_weight == o->weight )
        return line_error(r, e, "reweigh comes with a new-weight, another one");
    if ( !o->repin != !r->domain.has_new_pin )
        return line_error(r, e, "repin and new-pin come together");
    if ( !o->pause != !o->pause_for )
        return line_error(r, e, "pause and pause-for come together");
    if ( !o->exit_storm != !o->exit_storm_for )
        return line_error(r, e, "exit-storm and exit-storm-for come together");
    if ( o->exit_storm && o->kind == SIM_PV )
        return line_error(r, e, "exit-storm is for domains of the kinds pvh "
                          "and hvm");
    if ( (o->spins || o->apic_timer) && o->kind == SIM_PV )
        return line_error(r, e, "spins and apic-timer are for domains of the "
                          "kinds pvh and hvm");
    if ( check_times(r, e) )
        return -EINVAL;
    dom_configs = realloc(s->dom_configs,
                          (s->nr_dom_configs + 1) * sizeof(*dom_configs));
    if ( !dom_configs )
        return err_set(e, -ENOMEM, "no memory");
    s->dom_configs = dom_configs;
    dom_configs[s->nr_dom_configs++] = *o;
    r->in_domain = false;
    return 0;
}

/* Parse "[domain NAME]". */
static int begin_domain(struct reader *r, char *line, struct err *e)
{
    char *end = strchr(line, ']'), *name;
    int rc = end_domain(r, e);
    bool is_dom0;

    if ( rc )
        return rc;
    if ( strncmp(line, "[domain ", 8) || !end || end[1] )
        return line_error(r, e, "not [domain NAME]");
    *end = '\0';
    name = trim_blanks(line + 8);
    if ( !is_name(name) )
        return line_error(r, e, BAD_NAME);
    is_dom0 = !strcmp(name, DOM0_NAME);
    r->domain = (struct section){
        .o = { .copies = 1, .weight = 256, .pin.first = 1,
               .vcpus = is_dom0 ? 0 : 1, .nr_loads = 1,
               .loads = { is_dom0 ? SIM_QUIET : SIM_BUSY } },
    };
    snprintf(r->domain.o.name, sizeof(r->domain.o.name), "%s", name);
    if ( is_dom0 && r->s->nr_dom_configs )
        return line_error(r, e, DOM0_NAME " comes before all other domains");
    r->in_domain = true;
    return 0;
}

static int read_line(struct reader *r, char *line, struct err *e)
{
    char *equals, *name, *value;

    line[strcspn(line, "#")] = '\0';
    line = trim_blanks(line);
    if ( !*line )
        return 0;
    if ( *line == '[' )
        return begin_domain(r, line, e);
    equals = strchr(line, '=');
    if ( !equals )
        return line_error(r, e, "neither NAME = VALUE nor [domain NAME]");
    *equals = '\0';
    name = trim_blanks(line);
    value = trim_blanks(equals + 1);
    return r->in_domain ? read_key(r, name, value, e)
                        : read_option(r, name, value, e);
}

/* ---- the file --------------------------------------------------------- */

static int load_file(const char *name, char **text, struct err *e)
{
    FILE *f = fopen(name, "re");
    size_t length;

    if ( !f )
        return err_sys(e, -errno, "cannot read %s", name);
    *text = malloc(FILE_MAX + 1);
    length = *text ? fread(*text, 1, FILE_MAX + 1, f) : 0;
    if ( *text && !ferror(f) && length <= FILE_MAX )
    {
        (*text)[length] = '\0';
        fclose(f);
        return 0;
    }
    if ( ferror(f) )
        err_sys(e, -errno, "cannot read %s", name);
    else
        err_set(e, -EFBIG, "%s: too long for a scenario", name);
    fclose(f);
    free(*text);
    return -EINVAL;
}

void scenario_free(struct scenario *s)
{
    for ( int i = 0; i < s->nr_args; i++ )
        free(s->args[i]);
    free(s->args);
    free(s->dom_configs);
    *s = (struct scenario){ .nr_args = 0 };
}

int scenario_read(struct scenario *s, const char *name,
                  const struct program *program, size_t config_size,
                  struct err *e)
{
    struct reader r = { .s = s, .program = program, .name = name,
                        .config_size = config_size };
    char *text = NULL, *line, *rest;
    int rc;

    *s = (struct scenario){ .nr_args = 0 };
    rc = load_file(name, &text, e);
    if ( rc )
        return rc;
    for ( rest = text; !rc && (line = strsep(&rest, "\n")); )
    {
        r.line++;
        rc = read_line(&r, line, e);
    }
    if ( !rc )
        rc = end_domain(&r, e);
    free(text);
    if ( rc )
        scenario_free(s);
    return rc;
}
