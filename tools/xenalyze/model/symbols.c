/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols in an array sorted by address, names in an arena.  The files are
 * untrusted.
 */
#include "config.h"

#include "xenalyze/model/symbols.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/fault.h"
#include "xenalyze/model/symbols-elf.h"

#define NAME_SHOWN 120

struct symbol
{
    uint64_t address;
    const char *name;
};

struct symbols
{
    struct arena arena;
    struct symbol *rows;
    size_t nr, room;
};

int symbols_add(struct symbols *s, uint64_t address, const char *name)
{
    size_t room = s->room ? 2 * s->room : 1024;
    struct symbol *larger;
    char *copy;

    assert(s->nr <= s->room);
    if ( s->nr == s->room )
    {
        larger = fault_realloc(s->rows, room * sizeof(*larger));
        if ( !larger )
            return -ENOMEM;
        s->rows = larger;
        s->room = room;
    }
    copy = arena_strndup(&s->arena, name, NAME_SHOWN);
    if ( !copy )
        return -ENOMEM;
    s->rows[s->nr++] = (struct symbol){ address, copy };
    return 0;
}

/* "ffff82d040200000 T _start", or without a kind: 0, or -EINVAL. */
static int add_line(struct symbols *s, char *line)
{
    char *end, *name;
    uint64_t address = strtoull(line, &end, 16);

    if ( end == line || (*end != ' ' && *end != '\t') )
        return -EINVAL;
    name = end + strspn(end, " \t");
    if ( name[0] && (name[1] == ' ' || name[1] == '\t') )
        name += 1 + strspn(name + 1, " \t");
    name[strcspn(name, " \t\r\n")] = '\0';
    return *name ? symbols_add(s, address, name) : -EINVAL;
}

/* The rest of a line that is longer than the buffer: the name is cut. */
static void skip_rest(const char *line, FILE *file)
{
    int c = 0;

    if ( strchr(line, '\n') )
        return;
    while ( c != EOF && c != '\n' )
        c = getc_unlocked(file);
}

static int read_text(struct symbols *s, const char *path, struct err *e)
{
    FILE *file = fault_hit(FAULT_OPEN) ? NULL : fopen(path, "re");
    unsigned int number = 0;
    char line[1024];
    int rc = 0;

    if ( !file )
        return err_sys(e, -errno, "cannot read the symbols in %s", path);
    while ( !rc && fgets(line, sizeof(line), file) )
    {
        number++;
        skip_rest(line, file);
        if ( line[strspn(line, " \t\r\n")] )
            rc = add_line(s, line);
    }
    if ( rc == -EINVAL )
        err_set(e, rc, "%s, line %u: no symbol; expected lines such as "
                "\"ffff82d040200000 T _start\", or an ELF file", path,
                number);
    else if ( rc )
        err_sys(e, rc, "cannot keep the symbols in %s", path);
    else if ( ferror(file) )
        rc = err_sys(e, -errno, "cannot read the symbols in %s", path);
    fclose(file);
    return rc;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;

    if ( x->address != y->address )
        return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool is_elf(const char *path)
{
    int fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0);
    char magic[4] = "";
    bool elf;

    if ( fd < 0 )
        return false;           /* read_text() reports the error */
    elf = fault_read(fd, magic, 4) == 4 && !memcmp(magic, "\177ELF", 4);
    close(fd);
    return elf;
}

int symbols_read(struct symbols **out, const char *path, struct err *e)
{
    struct symbols *s = fault_calloc(1, sizeof(*s));
    int rc;

    *out = NULL;
    if ( !s )
        return err_sys(e, -ENOMEM, "cannot keep the symbols in %s", path);
    arena_init(&s->arena, 0);
    rc = is_elf(path) ? symbols_read_elf(s, path, e) : read_text(s, path, e);
    if ( rc )
    {
        symbols_free(s);
        return rc;
    }
    if ( s->nr )
        qsort(s->rows, s->nr, sizeof(*s->rows), compare_symbols);
    *out = s;
    return 0;
}

void symbols_free(struct symbols *s)
{
    if ( !s )
        return;
    arena_fini(&s->arena);
    free(s->rows);
    free(s);
}

/* Number of symbols at or below the address. */
static size_t count_below(const struct symbols *s, uint64_t address)
{
    size_t low = 0, high = s->nr;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( s->rows[middle].address <= address )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *symbols_text(const struct symbols *s, uint64_t address,
                         char text[SYMBOLS_TEXT_MAX])
{
    struct symbol nearest = { 0, "ZERO" };
    size_t below = s ? count_below(s, address) : 0;

    text[0] = '\0';
    if ( !s )
        return text;
    assert(below <= s->nr);
    if ( below )
        nearest = s->rows[below - 1];
    snprintf(text, SYMBOLS_TEXT_MAX, "(%s +%" PRIx64 ")", nearest.name,
             address - nearest.address);
    return text;
}

const char *symbols_find(const struct symbols *s, uint64_t address,
                         uint64_t *start)
{
    size_t below = count_below(s, address);

    assert(below <= s->nr);
    if ( !below )
        return NULL;
    *start = s->rows[below - 1].address;
    return s->rows[below - 1].name;
}
