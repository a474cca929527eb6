/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "xentrace/dump-symbols.h"

#include <errno.h>

#ifdef HAVE_LIBELF

#include <assert.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"

#define AT(field) offsetof(struct dump_symbols, field)

static const struct wanted
{
    const char *name;
    size_t at;                  /* in struct dump_symbols */
} wanted[] = {
    { "t_info", AT(t_info) },
    { "idle_pg_table", AT(root_table) },
    { "nr_cpu_ids", AT(nr_cpus) },
    { "cpu_khz", AT(khz) },
    { "per_cpu__lost_records", AT(lost) },
    { "__per_cpu_offset", AT(percpu_offset) },
};

#define NR_WANTED (sizeof(wanted) / sizeof(wanted[0]))

static void keep_symbol(struct dump_symbols *s, const char *name,
                        uint64_t value)
{
    for ( size_t i = 0; i < NR_WANTED; i++ )
        if ( !strcmp(wanted[i].name, name) )
            *(uint64_t *)((char *)s + wanted[i].at) = value;
}

static void read_symbols(struct dump_symbols *s, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for ( int i = 0; data && gelf_getsym(data, i, &symbol); i++ )
    {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

        if ( name && symbol.st_shndx != SHN_UNDEF )
            keep_symbol(s, name, symbol.st_value);
    }
}

/* Keep the note of the build id as it stands in memory. */
static void read_notes(struct dump_symbols *s, Elf_Scn *section,
                       const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t at = 0, next, name, text;
    GElf_Nhdr n;

    while ( data && (next = gelf_getnote(data, at, &n, &name, &text)) != 0 )
    {
        if ( n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
             !memcmp((char *)data->d_buf + name, "GNU", 4) &&
             next - at <= DUMP_NOTE_MAX )
        {
            s->note = header->sh_addr + at;
            s->note_bytes = next - at;
            memcpy(s->note_text, (char *)data->d_buf + at, s->note_bytes);
        }
        at = next;
    }
}

static void read_sections(struct dump_symbols *s, Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ( (section = elf_nextscn(elf, section)) != NULL )
    {
        if ( !gelf_getshdr(section, &header) )
            continue;
        if ( header.sh_type == SHT_SYMTAB )
            read_symbols(s, elf, section, &header);
        else if ( header.sh_type == SHT_NOTE && header.sh_addr )
            read_notes(s, section, &header);
    }
}

int dump_symbols_read(struct dump_symbols *s, const char *path, struct err *e)
{
    int fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0), rc = 0;
    Elf *elf = NULL;

    *s = (struct dump_symbols){ 0 };
    if ( fd < 0 )
        return err_sys(e, -errno, "cannot read the symbols in %s", path);
    if ( elf_version(EV_CURRENT) != EV_NONE )
        elf = elf_begin(fd, ELF_C_READ, NULL);
    if ( elf && elf_kind(elf) == ELF_K_ELF )
        read_sections(s, elf);
    else
        rc = err_set(e, -EINVAL, "%s is not an ELF file: give xen-syms", path);
    elf_end(elf);
    close(fd);
    if ( !rc && (!s->root_table || !s->nr_cpus) )
        rc = err_set(e, -EINVAL, "%s has no symbols of Xen: give xen-syms",
                     path);
    if ( !rc && !s->note_bytes )
        rc = err_set(e, -EINVAL, "%s has no build id, by which Xen is found in "
                     "a dump", path);
    return rc;
}

#else

int dump_symbols_read(struct dump_symbols *s, const char *path, struct err *e)
{
    (void)s;
    return err_set(e, -EOPNOTSUPP, "cannot read %s: this program was built "
                   "without libelf", path);
}

#endif
