/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of exit reasons: where stock xenalyze has a name, the same.
 */
#include "xenalyze/model/exit-reasons.h"

#include <assert.h>
#include <stddef.h>

static const char *const vmx[EXIT_NR_VMX] = {
    [0] = "EXCEPTION_NMI",
    [1] = "EXTERNAL_INTERRUPT",
    [2] = "TRIPLE_FAULT",
    [3] = "INIT",
    [4] = "SIPI",
    [5] = "IO_SMI",
    [6] = "OTHER_SMI",
    [7] = "PENDING_INTERRUPT",
    [8] = "PENDING_VIRT_NMI",
    [9] = "TASK_SWITCH",
    [10] = "CPUID",
    [11] = "GETSEC",
    [12] = "HLT",
    [13] = "INVD",
    [14] = "INVLPG",
    [15] = "RDPMC",
    [16] = "RDTSC",
    [17] = "RSM",
    [18] = "VMCALL",
    [19] = "VMCLEAR",
    [20] = "VMLAUNCH",
    [21] = "VMPTRLD",
    [22] = "VMPTRST",
    [23] = "VMREAD",
    [24] = "VMRESUME",
    [25] = "VMWRITE",
    [26] = "VMOFF",
    [27] = "VMON",
    [28] = "CR_ACCESS",
    [29] = "DR_ACCESS",
    [30] = "IO_INSTRUCTION",
    [31] = "MSR_READ",
    [32] = "MSR_WRITE",
    [33] = "INVALID_GUEST_STATE",
    [34] = "MSR_LOADING",
    [35] = "RESERVED_35",
    [36] = "MWAIT_INSTRUCTION",
    [37] = "MONITOR_TRAP_FLAG",
    [38] = "RESERVED_38",
    [39] = "MONITOR_INSTRUCTION",
    [40] = "PAUSE_INSTRUCTION",
    [41] = "MACHINE_CHECK",
    [42] = "RESERVED_42",
    [43] = "TPR_BELOW_THRESHOLD",
    [44] = "APIC_ACCESS",
    [45] = "VIRTUALIZED_EOI",
    [46] = "ACCESS_GDTR_OR_IDTR",
    [47] = "ACCESS_LDTR_OR_TR",
    [48] = "EPT_VIOLATION",
    [49] = "EPT_MISCONFIG",
    [50] = "INVEPT",
    [51] = "RDTSCP",
    [52] = "VMX_PREEMPTION_TIMER_EXPIRED",
    [53] = "INVVPID",
    [54] = "WBINVD",
    [55] = "XSETBV",
    [56] = "APIC_WRITE",
    [57] = "RDRAND",
    [58] = "INVPCID",
    [59] = "VMFUNC",
    [60] = "ENCLS",
    [61] = "RDSEED",
    [62] = "PML_FULL",
    [63] = "XSAVES",
    [64] = "XRSTORS",
    [65] = "PCONFIG",
    [66] = "SPP_EVENT",
    [67] = "UMWAIT",
    [68] = "TPAUSE",
    [69] = "LOADIWKEY",
    [70] = "ENCLV",
    [72] = "ENQCMD_PASID",
    [73] = "ENQCMDS_PASID",
    [74] = "BUS_LOCK",
    [75] = "NOTIFY",
    [76] = "SEAMCALL",
    [77] = "TDCALL",
    [78] = "RDMSRLIST",
    [79] = "WRMSRLIST",
    [80] = "URDMSR",
    [81] = "UWRMSR",
};

#define SIXTEEN(what, kind)                                                 \
    "VMEXIT_" what "0_" kind, "VMEXIT_" what "1_" kind,                     \
    "VMEXIT_" what "2_" kind, "VMEXIT_" what "3_" kind,                     \
    "VMEXIT_" what "4_" kind, "VMEXIT_" what "5_" kind,                     \
    "VMEXIT_" what "6_" kind, "VMEXIT_" what "7_" kind,                     \
    "VMEXIT_" what "8_" kind, "VMEXIT_" what "9_" kind,                     \
    "VMEXIT_" what "10_" kind, "VMEXIT_" what "11_" kind,                   \
    "VMEXIT_" what "12_" kind, "VMEXIT_" what "13_" kind,                   \
    "VMEXIT_" what "14_" kind, "VMEXIT_" what "15_" kind

static const char *const svm[EXIT_NR_SVM] = {
    SIXTEEN("CR", "READ"),
    SIXTEEN("CR", "WRITE"),
    SIXTEEN("DR", "READ"),
    SIXTEEN("DR", "WRITE"),
    [64] = "VMEXIT_EXCEPTION_DE", "VMEXIT_EXCEPTION_DB",
    "VMEXIT_EXCEPTION_NMI", "VMEXIT_EXCEPTION_BP", "VMEXIT_EXCEPTION_OF",
    "VMEXIT_EXCEPTION_BR", "VMEXIT_EXCEPTION_UD", "VMEXIT_EXCEPTION_NM",
    "VMEXIT_EXCEPTION_DF", "VMEXIT_EXCEPTION_09", "VMEXIT_EXCEPTION_TS",
    "VMEXIT_EXCEPTION_NP", "VMEXIT_EXCEPTION_SS", "VMEXIT_EXCEPTION_GP",
    "VMEXIT_EXCEPTION_PF", "VMEXIT_EXCEPTION_15", "VMEXIT_EXCEPTION_MF",
    "VMEXIT_EXCEPTION_AC", "VMEXIT_EXCEPTION_MC", "VMEXIT_EXCEPTION_XF",
    "VMEXIT_EXCEPTION_20", "VMEXIT_EXCEPTION_21", "VMEXIT_EXCEPTION_22",
    "VMEXIT_EXCEPTION_23", "VMEXIT_EXCEPTION_24", "VMEXIT_EXCEPTION_25",
    "VMEXIT_EXCEPTION_26", "VMEXIT_EXCEPTION_27", "VMEXIT_EXCEPTION_28",
    "VMEXIT_EXCEPTION_29", "VMEXIT_EXCEPTION_30", "VMEXIT_EXCEPTION_31",
    [96] = "VMEXIT_INTR", "VMEXIT_NMI", "VMEXIT_SMI", "VMEXIT_INIT",
    [100] = "VMEXIT_VINTR", "VMEXIT_CR0_SEL_WRITE",
    "VMEXIT_IDTR_READ", "VMEXIT_GDTR_READ", "VMEXIT_LDTR_READ",
    "VMEXIT_TR_READ", "VMEXIT_IDTR_WRITE", "VMEXIT_GDTR_WRITE",
    "VMEXIT_LDTR_WRITE", "VMEXIT_TR_WRITE",
    [110] = "VMEXIT_RDTSC", "VMEXIT_RDPMC", "VMEXIT_PUSHF", "VMEXIT_POPF",
    "VMEXIT_CPUID", "VMEXIT_RSM", "VMEXIT_IRET", "VMEXIT_SWINT",
    "VMEXIT_INVD", "VMEXIT_PAUSE",
    [120] = "VMEXIT_HLT", "VMEXIT_INVLPG", "VMEXIT_INVLPGA", "VMEXIT_IOIO",
    "VMEXIT_MSR", "VMEXIT_TASK_SWITCH", "VMEXIT_FERR_FREEZE",
    "VMEXIT_SHUTDOWN", "VMEXIT_VMRUN", "VMEXIT_VMMCALL",
    [130] = "VMEXIT_VMLOAD", "VMEXIT_VMSAVE", "VMEXIT_STGI", "VMEXIT_CLGI",
    "VMEXIT_SKINIT", "VMEXIT_RDTSCP", "VMEXIT_ICEBP", "VMEXIT_WBINVD",
    "VMEXIT_MONITOR", "VMEXIT_MWAIT",
    [140] = "VMEXIT_MWAIT_CONDITIONAL", "VMEXIT_XSETBV", "VMEXIT_RDPRU",
    "VMEXIT_EFER_WRITE_TRAP",
    SIXTEEN("CR", "WRITE_TRAP"),
    [160] = "VMEXIT_INVLPGB", "VMEXIT_INVLPGB_ILLEGAL", "VMEXIT_INVPCID",
    "VMEXIT_MCOMMIT", "VMEXIT_TLBSYNC", "VMEXIT_BUSLOCK",
    "VMEXIT_IDLE_HLT",
};

#define SVM_HIGH 0x400u

static const char *const svm_high[EXIT_NR_SVM_HIGH] = {
    "VMEXIT_NPF", "VMEXIT_AVIC_INCOMPLETE_IPI", "VMEXIT_AVIC_NOACCEL",
    "VMEXIT_VMGEXIT",
};

unsigned int exit_cause_svm(uint32_t reason)
{
    if ( reason < EXIT_NR_SVM )
        return EXIT_SVM + reason;
    if ( reason - SVM_HIGH < EXIT_NR_SVM_HIGH )
        return EXIT_SVM_HIGH + (reason - SVM_HIGH);
    return EXIT_OTHER;
}

const char *exit_name(unsigned int cause)
{
    assert(cause < EXIT_CAUSES);
    if ( cause < EXIT_SVM )
        return vmx[cause];
    if ( cause < EXIT_SVM_HIGH )
        return svm[cause - EXIT_SVM];
    return cause < EXIT_OTHER ? svm_high[cause - EXIT_SVM_HIGH] : NULL;
}

uint32_t exit_reason(unsigned int cause)
{
    assert(cause < EXIT_CAUSES);
    if ( cause < EXIT_SVM )
        return cause;
    if ( cause < EXIT_SVM_HIGH )
        return cause - EXIT_SVM;
    return cause - EXIT_SVM_HIGH + SVM_HIGH;
}
