# SPDX-License-Identifier: GPL-2.0-or-later
# Writes a C program that prints each event's format as the compiler understands
# it.  Input: the columns of expect.awk, with -F '\t'.

BEGIN {
    print "#include <inttypes.h>"
    print "#include <stdio.h>"
    print "static const char *const all[][2] = {"
}

{ print "    { \"" $1 "\", " $4 " }," }

END {
    print "};"
    print "int main(void)"
    print "{"
    print "    for ( size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++ )"
    print "    {"
    print "        printf(\"%s\\t\", all[i][0]);"
    print "        for ( const unsigned char *c = (const void *)all[i][1];"
    print "              *c; c++ )"
    print "            printf(*c < ' ' || *c == '\\\\' ? \"\\\\%03o\" : \"%c\","
    print "                   *c);"
    print "        putchar('\\n');"
    print "    }"
    print "    return 0;"
    print "}"
}
