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
function sumDomains() {
    const sums = new Map();

    for (const [domain, , label, running, runnable, blocked, offline,
                ...rest] of facts.vcpu_times) {
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

function makeDomains() {
    const states = ["running", "waiting", "blocked", "offline", "unknown"];
    const seconds = facts.length / 1e9;
    const list = sumDomains().map((sum) => {
        const whole = states.reduce((n, state) => n + sum[state], 0) || 1;

        return [isolateName(sum.label), formatCount(sum.nr),
                (sum.running / Math.max(1, facts.length)).toFixed(2),
                ...states.slice(1).map((state) =>
                    formatPercent(sum[state] / whole)),
                formatCount(Math.round(seconds ? sum.exits / seconds : 0)),
                makeShares(states.map((state) => [sum[state] / whole, state,
                                                  state]))];
    });
    const [nr, idle, lost, time] = facts.pcpu_times;

    return makeTable("Where the time went", "Pcpus: average number that " +
        `the domain used, of ${nr}, which ${nr > 1 ? "were" : "was"} idle ` +
        `${formatPercent(idle / Math.max(1, time))} of the time` +
        `${lost ? `, unknown ${formatPercent(lost / time)}` : ""}. ` +
        "Waiting to unknown: shares of the time of its vcpus.",
        [["Domain", true], ["vcpus"], ["pcpus"], ["waiting"], ["blocked"],
         ["offline"], ["unknown"], ["VM exits/s"], [""]], list);
}

// --- waits -----------------------------------------------------------------

// A moment that shows its place in the timeline.
function makeLink(label, time, length, text = formatMoment(
    time, Math.max(facts.to - facts.from, 1) / 100)) {
    if (facts.segments > 1)
        return text;
    const link = make("button", {
        type: "button", className: "link", textContent: text,
        title: "Show in the timeline",
    });

    link.addEventListener("click", () =>
        showWait(isolateName(label), time, length));
    return link;
}

function makeWakes() {
    const list = [...facts.wakes].sort((a, b) => b[4] - a[4]).map(
        ([label, nr, p50, p95, p99, longest, at]) => [
            isolateName(label), formatCount(nr), formatDuration(p50),
            formatDuration(p95), formatDuration(p99), formatDuration(longest),
            makeLink(label, at, longest)]);

    return makeTable("Wake-to-run latency", "Time from the wake-up of a vcpu " +
        "until it runs; p99: 99 of 100 wake-ups took less.",
        [["vcpu", true], ["wake-ups"], ["p50"], ["p95"], ["p99"], ["longest"],
         ["at"]], list);
}

// --- exits -----------------------------------------------------------------

function makeExits() {
    const most = Math.max(1, ...facts.exits.map((row) => row[3]));
    const list = facts.exits.map(([domain, name, nr, inXen, offCpu]) => [
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

function makeQuality() {
    const [records, gaps, time] = facts.lost;
    const [pcpu, other, clockError] = facts.clock_error;
    const whole = Math.max(1, facts.pcpu_times[3]);
    const list = [
        ["Lost records", formatCount(records)],
        ["Gaps", gaps ? `${formatCount(gaps)}, ${formatDuration(time)} ` +
            `together, ${formatPercent(time / whole)} of the time of all pcpus`
            : "0"],
        ["Damaged places", formatCount(facts.damage)],
        ["TSC frequency", facts.clock_assumed
            ? "assumed, so times may be wrong by a factor; see --cpu-hz" : `${formatCount(facts.hz)} Hz`],
        ...(clockError ? [["Clocks of pcpus", `${pcpu} and ${other} differ: ` +
            `waits may be wrong by ${formatDuration(clockError)}`]] : []),
        ...facts.contradictions.map(([name, nr]) =>
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
    const lost = facts.lost[0];
    const list = [
        ["start", wall && `${wall.slice(0, 10)} ${wall.slice(11, 23)} UTC`],
        ["length", formatDuration(facts.length)],
        ["pcpus", formatCount(facts.pcpu_times[0])],
        ["domains", formatCount(domains.length)],
        ["vcpus", formatCount(rows.filter((row) => row.kind === "vcpu")
            .length)],
        ["records", formatCount(facts.records)],
        ["lost", formatCount(lost), lost > 0],
    ];

    for (const [term, text, isBad] of list)
        if (text)
            chips.append(make("div", { className: isBad ? "bad" : "" },
                              make("dt", { textContent: term }),
                              make("dd", { textContent: text })));
}

function showVerdict() {
    const [headline, ...rest] = facts.verdict;

    if (headline === undefined)
        return;
    byId("headline").textContent = headline;
    byId("verdict-text").textContent = rest.join("\n");
    const [, , lost, time] = facts.pcpu_times;

    if (lost > 0.01 * time) {
        byId("caution").textContent = "Records were lost: " +
            `${formatPercent(lost / time)} of the time is unknown.`;
        byId("caution").hidden = false;
    }
    byId("verdict").querySelector("details").hidden = !rest.length;
    byId("verdict").hidden = false;
}

function showNote() {
    const notes = ["Times are since the start of the trace."];

    if (facts.is_selection)
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

function showTables() {
    const sections = [makeDomains()];

    if (facts.matrix.length)
        sections.push(makeMatrix());
    if (facts.wakes.length)
        sections.push(makeWakes());
    sections.push(makeQuality());
    if (facts.exits.length)
        sections.push(makeExits());
    if (facts.pieces.length)
        sections.push(makeWaitsInPieces());
    else if (facts.waits.length)
        sections.push(makeWaits());
    // Tables of the whole width first: they would cut the columns in two.
    sections.sort((a, b) => b.classList.contains("span") -
                            a.classList.contains("span"));
    byId("tables").append(...sections);
}
