/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of an ELF file, with elfutils' libelf.  A build without libelf
 * reports an error.
 */
#include "config.h"

#include "xenalyze/model/symbols-elf.h"

#include <errno.h>

#ifdef HAVE_LIBELF

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include "common/fault.h"

/* Code and data, not sections and files. */
static bool is_place(const GElf_Sym *symbol)
{
    unsigned int type = GELF_ST_TYPE(symbol->st_info);

    return symbol->st_shndx != SHN_UNDEF && type != STT_SECTION &&
           type != STT_FILE && symbol->st_value;
}

static int read_table(struct symbols *s, Elf *elf, Elf_Scn *section,
                      const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    int rc = 0;

    for ( int i = 0; data && !rc && gelf_getsym(data, i, &symbol); i++ )
    {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

        if ( name && *name && is_place(&symbol) )
            rc = symbols_add(s, symbol.st_value, name);
    }
    return rc;
}

static int read_tables(struct symbols *s, Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    int rc = 0;

    while ( !rc && (section = elf_nextscn(elf, section)) != NULL )
        if ( gelf_getshdr(section, &header) &&
             header.sh_type == SHT_SYMTAB )
            rc = read_table(s, elf, section, &header);
    return rc;
}

int symbols_read_elf(struct symbols *s, const char *path, struct err *e)
{
    int fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0);
    Elf *elf = NULL;
    int rc;

    if ( fd < 0 )
        return err_sys(e, -errno, "cannot read the symbols in %s", path);
    if ( elf_version(EV_CURRENT) != EV_NONE )
        elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    rc = elf ? read_tables(s, elf)
             : err_set(e, -EINVAL, "%s: %s", path, elf_errmsg(-1));
    if ( rc )
        err_sys(e, rc, "cannot keep the symbols in %s", path);
    elf_end(elf);
    close(fd);
    return rc;
}

#else

int symbols_read_elf(struct symbols *s, const char *path, struct err *e)
{
    (void)s;
    return err_set(e, -EOPNOTSUPP, "%s is an ELF file, and this program was "
                   "built without libelf; give it the output of nm -n", path);
}

#endif
