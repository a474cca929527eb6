// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers: key figures, the verdict, tables, the quality of the data.  The
// arrays of numbers are written by html-numbers.c.

const MANY_ROWS = 12;           // more rows wait behind a button

// columns: [title, is text?]; rows: arrays of texts or elements.
function makeTable(title, caption, columns, list) {
    const head = make("tr"), body = make("tbody");
    const section = make("section", { className: "card" },
                         make("h2", { textContent: title }));

    for (const [text, isText] of columns)
        head.append(make("th", { scope: "col", textContent: text,
                                 className: isText ? "text" : "" }));
    const addRow = (cells) => {
        const row = make("tr");

        cells.forEach((cell, i) => {
            const isText = columns[i][1];
            const tag = i ? "td" : "th";
            const element = make(tag, { className: isText ? "text" : "" },
                                 cell);

            if (!i)
                element.scope = "row";
            if (isText && typeof cell === "string")
                element.title = cell;
            if (cell.className === "shares")
                element.className = "wide";
            if (cell.className === "pieces")
                element.className = "text list";
            row.append(element);
        });
        body.append(row);
    };

    list.slice(0, MANY_ROWS).forEach(addRow);
    section.append(make("table", {}, make("caption", { textContent: caption }),
                        make("thead", {}, head), body));
    if (list.length > MANY_ROWS) {
        const more = make("button", {
            type: "button", className: "more",
            textContent: `All ${formatCount(list.length)} rows`,
        });

        more.addEventListener("click", () => {
            list.slice(MANY_ROWS).forEach(addRow);
            more.remove();
        });
        section.append(more);
    }
    return section;
}

// A bar of [share, colour name, text].
function makeShares(shares) {
    const bar = make("div", { className: "shares" });

    bar.setAttribute("aria-hidden", "true");
    for (const [share, colour, text] of shares) {
        const part = make("span", { title: `${text} ${formatPercent(share)}` });

        part.style.width = `${100 * share}%`;
        part.style.background = `var(--${colour})`;
        bar.append(part);
    }
    return bar;
}

// --- where the time went ---------------------------------------------------

// Sums over vcpus: [domain, id, domain label, states..., exits]
function sumDomains(host) {
    const sums = new Map();

    for (const [domain, , label, running, runnable, blocked, offline,
                ...rest] of host.vcpu_times) {
        if (!sums.has(domain))
            sums.set(domain, { label, nr: 0, running: 0, waiting: 0,
                               blocked: 0, offline: 0, unknown: 0, exits: 0 });
        const sum = sums.get(domain);

        sum.nr++;
        sum.running += running;
        sum.waiting += runnable;
        sum.blocked += blocked;
        sum.offline += offline;
        sum.exits += rest.pop();
        sum.unknown += rest.reduce((a, b) => a + b, 0);
    }
    return [...sums.values()].sort((a, b) => b.running - a.running);
}

function makeDomains(host) {
    const states = ["running", "waiting", "blocked", "offline", "unknown"];
    const seconds = host.length / 1e9;
    const list = sumDomains(host).map((sum) => {
        const whole = states.reduce((n, state) => n + sum[state], 0) || 1;

        return [isolateName(sum.label), formatCount(sum.nr),
                (sum.running / Math.max(1, host.length)).toFixed(2),
                ...states.slice(1).map((state) =>
                    formatPercent(sum[state] / whole)),
                formatCount(Math.round(seconds ? sum.exits / seconds : 0)),
                makeShares(states.map((state) => [sum[state] / whole, state,
                                                  state]))];
    });
    const [nr, idle, lost, time] = host.pcpu_times;

    return makeTable("Where the time went", "Pcpus: average number that " +
        `the domain used, of ${nr}, which ${nr > 1 ? "were" : "was"} idle ` +
        `${formatPercent(idle / Math.max(1, time))} of the time` +
        `${lost ? `, unknown ${formatPercent(lost / time)}` : ""}. ` +
        "Waiting to unknown: shares of the time of its vcpus.",
        [["Domain", true], ["vcpus"], ["pcpus"], ["waiting"], ["blocked"],
         ["offline"], ["unknown"], ["VM exits/s"], [""]], list);
}

// --- waits -----------------------------------------------------------------

// A moment of a host that shows its place in the timeline.
function makeLink(host, label, at, length, text = formatMoment(
    host.begin + at, Math.max(facts.to - facts.from, 1) / 100)) {
    if (host.segments > 1)
        return text;
    const link = make("button", {
        type: "button", className: "link", textContent: text,
        title: "Show in the timeline",
    });

    link.addEventListener("click", () =>
        showWait(labelOf(host, label), host.begin + at, length));
    return link;
}

function makeWakes(host) {
    const list = [...host.wakes].sort((a, b) => b[4] - a[4]).map(
        ([label, nr, p50, p95, p99, longest, at]) => [
            isolateName(label), formatCount(nr), formatDuration(p50),
            formatDuration(p95), formatDuration(p99), formatDuration(longest),
            makeLink(host, label, at, longest)]);

    return makeTable("Wake-to-run latency", "Time from the wake-up of a vcpu " +
        "until it runs; p99: 99 of 100 wake-ups took less.",
        [["vcpu", true], ["wake-ups"], ["p50"], ["p95"], ["p99"], ["longest"],
         ["at"]], list);
}

// --- exits -----------------------------------------------------------------

function makeExits(host) {
    const most = Math.max(1, ...host.exits.map((row) => row[3]));
    const list = host.exits.map(([domain, name, nr, inXen, offCpu]) => [
        isolateName(domain), name, formatCount(nr), formatDuration(inXen),
        formatDuration(nr ? inXen / nr : 0), formatDuration(offCpu),
        makeShares([[inXen / most, "exit", "of the first row"]])]);

    return makeTable("Most time in Xen for VM exits", "In Xen: time on a " +
        "pcpu until the VM entry. Off the pcpu: the vcpu was blocked or " +
        "waited.",
        [["Domain", true], ["reason", true], ["exits"], ["in Xen"], ["mean"],
         ["off the pcpu"], [""]], list);
}

// --- quality, key figures, verdict -----------------------------------------

function makeQuality(host) {
    const [records, gaps, time] = host.lost;
    const [pcpu, other, clockError, silent, pcpus] = host.clock_error;
    const whole = Math.max(1, host.pcpu_times[3]);
    const list = [
        ["Lost records", formatCount(records)],
        ["Gaps", gaps ? `${formatCount(gaps)}, ${formatDuration(time)} ` +
            `together, ${formatPercent(time / whole)} of the time of all pcpus`
            : "0"],
        ["Damaged places", formatCount(host.damage)],
        ["TSC frequency", host.clock_assumed
            ? "assumed, so times may be wrong by a factor; see --cpu-hz"
            : `${formatCount(host.hz)} Hz`],
        ...(clockError ? [silent
            ? ["Pcpus", `${silent} of ${pcpus} have no records: ` +
                `waits may be wrong by ${formatDuration(clockError)}`]
            : ["Clocks of pcpus", `${pcpu} and ${other} differ: ` +
                `waits may be wrong by ${formatDuration(clockError)}`]] : []),
        ...host.contradictions.map(([name, nr]) =>
            [`Contradictions: ${name}`, formatCount(nr)]),
    ];

    const section = makeTable("Data quality", "A loss is a hatched band in " +
        "the timeline; states are unknown after it.", [["", true], [""]],
                              list);

    section.classList.add("prose");
    return section;
}

function showChips() {
    const chips = byId("chips");
    const wall = facts.wall_ms === undefined ? null
        : new Date(facts.wall_ms).toISOString();
    const lost = sumOfHosts((host) => host.lost[0]);
    const list = [
        ["hosts", hasHosts && formatCount(hosts.length)],
        ["start", wall && `${wall.slice(0, 10)} ${wall.slice(11, 23)} UTC`],
        ["length", formatDuration(hasHosts ? facts.to - facts.from
                                           : hosts[0].length)],
        ["pcpus", formatCount(sumOfHosts((host) => host.pcpu_times[0]))],
        ["domains", formatCount(domains.length)],
        ["vcpus", formatCount(rows.filter((row) => row.kind === "vcpu")
            .length)],
        ["records", formatCount(sumOfHosts((host) => host.records))],
        ["lost", formatCount(lost), lost > 0],
    ];

    for (const [term, text, isBad] of list)
        if (text)
            chips.append(make("div", { className: isBad ? "bad" : "" },
                              make("dt", { textContent: term }),
                              make("dd", { textContent: text })));
}

// The lines of all hosts, each behind the name of its host.
function showVerdict() {
    const asked = told.filter(({ verdict }) => verdict.length);
    const rest = asked.filter(({ verdict }) => verdict.length > 1);
    const title = (host) => hasHosts ? `${host.label}: ` : "";

    if (!asked.length)
        return;
    byId("headline").textContent = asked.map((host) =>
        title(host) + host.verdict[0]).join("\n");
    byId("verdict-text").textContent = rest.map((host) =>
        (hasHosts ? `${host.label}, times since the start of its own trace:\n`
                  : "") +
        host.verdict.slice(1).join("\n")).join("\n\n");
    const lost = sumOfHosts((host) => host.pcpu_times[2]);
    const time = sumOfHosts((host) => host.pcpu_times[3]);

    if (lost > 0.01 * time) {
        byId("caution").textContent = "Records were lost: " +
            `${formatPercent(lost / time)} of the time is unknown.`;
        byId("caution").hidden = false;
    }
    byId("verdict").querySelector("details").hidden = !rest.length;
    byId("verdict").hidden = false;
}

function showNote() {
    const notes = [hasHosts
        ? "Times are since the start of the first trace, by the wall clock " +
          "of each host.  How far these clocks differ is unknown."
        : "Times are since the start of the trace."];
    const untold = hosts.length - told.length;

    if (untold)
        notes.push(`${formatCount(untold)} hosts have no tables.`);
    if (told.some((host) => host.is_selection))
        notes.push("The page shows a selected part of the trace.");
    if (facts.quantum || facts.exit_quantum)
        notes.push("The file is bounded to 20 MB: where slices are dense, " +
            `states shorter than ${formatDuration(facts.quantum)}, and VM ` +
            "exits and events of programs shorter than " +
            `${formatDuration(facts.exit_quantum)}, are condensed, and show ` +
            "sums, without arrows from wakers.  Export a part with --time, " +
            "--vcpu or --domain to see each of them.");
    if (facts.threads.length && !facts.has_arguments)
        notes.push("Events of programs have no arguments here, which would " +
                   "be too many: see xenalyze dump, or export a part.");
    if (facts.hidden_rows)
        notes.push("Further pcpus or vcpus have no row.");
    byId("note").textContent = notes.join("  ");
}

function makeTables(host) {
    const sections = [makeDomains(host)];

    if (host.matrix.length)
        sections.push(makeMatrix(host));
    if (host.wakes.length)
        sections.push(makeWakes(host));
    sections.push(makeQuality(host));
    if (host.exits.length)
        sections.push(makeExits(host));
    if (host.pieces.length)
        sections.push(makeWaitsInPieces(host));
    else if (host.waits.length)
        sections.push(makeWaits(host));
    // Tables of the whole width first: they would cut the columns in two.
    sections.sort((a, b) => b.classList.contains("span") -
                            a.classList.contains("span"));
    return make("div", { className: "tables" }, ...sections);
}

function showTables() {
    for (const host of told)
        byId("tables").append(hasHosts
            ? make("details", { className: "host", open: host === told[0] },
                   make("summary", { textContent: `Tables of ${host.label}` }),
                   makeTables(host))
            : makeTables(host));
}
