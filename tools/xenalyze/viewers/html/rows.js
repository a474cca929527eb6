// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of the timeline: the pcpus, the vcpus by domain, the threads of programs.

const TITLE_HEIGHT = 26;
const PCPU_HEIGHT = 20;
const VCPU_HEIGHT = 27;
const STATE_HEIGHT = 14;        // of a row with exits below

// Labels of rows begin with the name of their host if there are several.
const { hosts } = facts;
const hasHosts = hosts.length > 1;

function labelOf(host, label) {
    return isolateName(hasHosts ? `${host.label}:${label}` : label);
}

// CPUs of a host follow those of the host before.
function pcpuLabel(number) {
    const host = hosts.findLast(({ first_pcpu: first }) => first <= number) ||
        hosts[0];

    return labelOf(host, `pcpu ${number - host.first_pcpu}`);
}

function readVcpus() {
    const domains = new Map();
    const vcpus = facts.vcpus.map(([domain, id, label, domainLabel, state,
                                    exits, host], number) => ({
        kind: "vcpu", number, host, domain, id, label: isolateName(label),
        domainLabel: isolateName(domainLabel),
        state: new Track(state), exits: new Track(exits),
    }));

    for (const v of vcpus) {
        // Known as a waker only.
        if (v.state.isEmpty && v.exits.isEmpty)
            continue;
        if (!domains.has(v.domainLabel))
            domains.set(v.domainLabel, {
                host: v.host, id: v.domain, label: v.domainLabel, vcpus: [],
            });
        domains.get(v.domainLabel).vcpus.push(v);
    }
    const sorted = [...domains.values()].sort((a, b) => a.host - b.host ||
                                                        a.id - b.id);

    sorted.forEach((domain, i) => {
        const [dark, light] = hueOf(i), nr = domain.vcpus.length;
        // Domains that share a hue differ a little in lightness.
        const first = [0, 0.3, 0.15, 0.45][Math.floor(i / HUES.length) % 4];

        domain.vcpus.sort((a, b) => a.id - b.id);
        domain.vcpus.forEach((v, k) => {
            v.colour = mixColours(dark, light, first + (nr < 2 ? 0.2
                : 0.55 * k / (nr - 1)));
        });
        domain.colour = mixColours(dark, light, first + 0.2);
    });
    return { vcpus, domains: sorted };
}

function readPcpus() {
    return facts.pcpus.map(([id, run, loss]) => ({
        kind: "pcpu", id, label: pcpuLabel(id), run: new Track(run),
        loss: new Track(loss),
    }));
}

function readThreads() {
    return facts.threads.map(([process, label, events, args]) => ({
        kind: "thread", process: isolateName(process),
        label: isolateName(label), events: new Track(events), args,
    }));
}

// The hosts that have tables.
const told = hosts.filter((host) => host.records !== undefined);

const sumOfHosts = (of) => told.reduce((sum, host) => sum + of(host), 0);

const { vcpus, domains } = readVcpus();
const pcpus = readPcpus();
const threads = readThreads();
const rows = [];

function listRows() {
    const idle = pcpus.length < sumOfHosts((host) => host.pcpu_times[0])
        ? "; pcpus that ran no vcpu have no row" : "";

    rows.push({ kind: "title", label: "Physical CPUs (pcpus)", note: "the " +
                `vcpu that ran; gaps are idle time${idle}` }, ...pcpus);
    for (const domain of domains) {
        const nr = domain.vcpus.length;

        rows.push({ kind: "title", label: domain.label, colour: domain.colour,
                    note: `${nr} vcpu${nr > 1 ? "s" : ""}` }, ...domain.vcpus);
    }
    if (threads.length)
        rows.push({ kind: "title", label: "Programs", note: "events of " +
                    `${threads.length} thread${threads.length > 1 ? "s" : ""}`
                  }, ...threads);
    let top = 0;

    for (const row of rows) {
        row.top = top;
        row.height = row.kind === "title" ? TITLE_HEIGHT
            : row.kind !== "vcpu" ? PCPU_HEIGHT
            : row.exits.isEmpty ? PCPU_HEIGHT : VCPU_HEIGHT;
        top += row.height;
    }
    rows.height = top + 4;
}

listRows();

// The row at a place below the axis, scrolled; or the nearest.
function findRow(y) {
    let low = 0, high = rows.length - 1;

    while (low < high) {
        const middle = (low + high + 1) >> 1;

        if (rows[middle].top <= y)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// The track of a row, or the upper one of two.
function mainTrack(row) {
    return row.kind === "pcpu" ? row.run
        : row.kind === "thread" ? row.events : row.state;
}

// Does the track of states or of exits lie there?
function trackAt(row, y) {
    if (row.kind !== "vcpu")
        return mainTrack(row);
    return row.exits.isEmpty || y - row.top < STATE_HEIGHT + 4 ? row.state
        : row.exits;
}

// --- search ----------------------------------------------------------------

// keys: of events of programs whose name matches.
const search = { text: "", isActive: false, rows: [], at: -1,
                 keys: new Set() };

// The slice of the next event, or slice of several events, with a name that
// matches; null: there is none in this direction.
function findEvent(row, from, direction) {
    if (!search.keys.size || row.events.isEmpty)
        return null;
    const level = row.events.level(0);

    for (let i = from; i >= 0 && i < level.length; i += direction) {
        // Exact slices have their key without a list.
        const key = level.keys[i];

        if (key >= 0 ? search.keys.has(key)
            : level.slice(i).shares.some(([k]) => search.keys.has(k)))
            return Object.assign(level.slice(i), { index: i });
    }
    return null;
}

function findKeys(wanted) {
    const keys = new Set();

    facts.event_names.forEach((name, key) => {
        if (key && wanted && name.toLowerCase().includes(wanted))
            keys.add(key);
    });
    return keys;
}

function setSearch(text) {
    const wanted = text.trim().toLowerCase();

    search.text = text;
    search.isActive = wanted !== "";
    search.at = -1;
    search.rows = [];
    search.keys = findKeys(wanted);
    for (let i = 0; i < rows.length; i++) {
        const row = rows[i];
        const names = row.kind === "vcpu"
            ? [row.label, row.domainLabel, `d${row.domain}v${row.id}`]
            : row.kind !== "title" ? [row.label] : [];

        row.isMatch = search.isActive &&
            (names.some((name) => name.toLowerCase().includes(wanted)) ||
             row.kind === "thread" && findEvent(row, 0, 1) !== null);
        if (row.isMatch)
            search.rows.push(i);
    }
}
