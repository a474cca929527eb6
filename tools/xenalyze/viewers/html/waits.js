// SPDX-License-Identifier: GPL-2.0-or-later
// Waits: the matrix of domains that waited and domains that had the pcpu, and
// the longest waits.  The arrays are written by html-waits.c; without them (a
// selection of vcpus), the longest waits have one rival each.

const MATRIX_RIVALS = 10;       // columns of domains
const PAGE_COLUMNS = 8;         // a wider table has the width of the page
const LEAST_PIECE = 0.0005;     // of a wait; shorter ones are added up

// Uses of the pcpu by no vcpu.
const CAUSE_TEXTS = {
    cap: "cap or budget", sleep: "sleep state", xen: "Xen", idle: "idle",
    lost: "records lost", unknown: "unknown",
};

const WAIT_REASONS = { wake: "wake-up", preempt: "preemption" };

// --- the matrix ------------------------------------------------------------

// A time; the larger its share of the largest one, the stronger its shade.  No
// time has a shade if the largest one is infinite.
function makeHeat(time, most, title) {
    const cell = make("span", { className: "heat", title,
                                textContent: formatDuration(time) });

    if (time && most < Infinity)
        cell.style.setProperty("--heat",
                               `${(8 + 62 * time / most).toFixed(1)}%`);
    return cell;
}

// The domains with the most time in all rows, as [domain, sum].
function findRivals(host) {
    const sums = new Map();

    for (const [, , , cells] of host.matrix)
        for (const [domain, time] of cells)
            sums.set(domain, (sums.get(domain) || 0) + time);
    return [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .slice(0, MATRIX_RIVALS).map(([domain]) => domain);
}

function nameDomains(host) {
    const names = new Map();

    for (const [domain, , label] of host.vcpu_times)
        names.set(domain, isolateName(label));
    for (const [domain, label] of host.matrix)
        names.set(domain, isolateName(label));
    return (domain) => names.get(domain) || `d${domain}`;
}

// Columns as {text, of(row) a time}: rivals, other domains, causes.  A sum has
// no shade, since the shade compares single domains.
function listUses(host, rivals, nameOf) {
    const known = new Set(rivals);
    const sumOf = (pairs, isWanted) => pairs.reduce((sum, [key, time]) =>
        sum + (isWanted(key) ? time : 0), 0);
    const uses = rivals.map((domain) => ({
        text: nameOf(domain), what: `${nameOf(domain)} ran`,
        of: ([, , , cells]) => sumOf(cells, (key) => key === domain),
    }));

    uses.push({
        text: "others", what: "other domains ran", isSum: true,
        of: ([, , , cells, others]) =>
            others + sumOf(cells, (key) => !known.has(key)),
    }, ...Object.entries(CAUSE_TEXTS).map(([cause, text]) => ({
        text, what: text,
        of: ([, , , , , causes]) => sumOf(causes, (key) => key === cause),
    })));
    return uses.filter(({ of }) => host.matrix.some((row) => of(row) > 0));
}

function makeMatrix(host) {
    const nameOf = nameDomains(host);
    const uses = listUses(host, findRivals(host), nameOf);
    const most = Math.max(1, ...host.matrix.flatMap((row) =>
        uses.map(({ of, isSum }) => isSum ? 0 : of(row))));
    const list = host.matrix.map((row) => [
        nameOf(row[0]), formatDuration(row[2]),
        ...uses.map(({ of, what, isSum }) => makeHeat(
            of(row), isSum ? Infinity : most,
            `${nameOf(row[0])} waited while ${what}: ` +
            `${formatPercent(of(row) / row[2])} of its waits`))]);
    const nr = host.matrix_hidden;
    const section = makeTable("Who waited because of whom",
        "Time that the vcpus of a domain waited for a pcpu, by what had the " +
        "pcpu: a domain (its own: another vcpu of it), or no vcpu. The " +
        "stronger the shade, the longer." + (nr ? ` Further ${formatCount(nr)} domains ` +
        "waited less." : ""),
        [["Domain", true], ["waited"], ...uses.map(({ text }) => [text])],
        list);

    section.classList.add("matrix");
    section.classList.toggle("span", uses.length + 2 > PAGE_COLUMNS);
    return section;
}

// --- the longest waits -----------------------------------------------------

// "rate limit 0.5 ms": a part of the rival's time.
function describeParts(limited, placed) {
    const parts = [];

    if (limited)
        parts.push(`rate limit ${formatDuration(limited)}`);
    if (placed)
        parts.push(`idle elsewhere ${formatDuration(placed)}`);
    return parts.length ? ` (${parts.join(", ")})` : "";
}

function makePieces(host, label, wait, pieces, shorter, nrShorter) {
    const list = make("ol", { className: "pieces" });

    for (const [rival, cause, from, length, limited, placed] of pieces) {
        if (length < LEAST_PIECE * wait) {
            shorter += length;
            nrShorter++;
            continue;
        }
        const name = rival === null ? CAUSE_TEXTS[cause] || cause
                                    : isolateName(rival);
        const text = `${name} ${formatDuration(length)}`;

        list.append(make("li", {}, makeLink(host, label, from, length, text),
                         describeParts(limited, placed)));
    }
    if (nrShorter)
        list.append(make("li", { textContent: `${formatCount(nrShorter)} ` +
            `shorter, ${formatDuration(shorter)}` }));
    return list;
}

function makeWaitsInPieces(host) {
    const reasons = new Map(host.waits.map(([label, at, , , reason]) =>
        [`${at} ${label}`, WAIT_REASONS[reason] || reason]));
    const list = host.pieces.map(
        ([label, at, length, pcpu, pieces, shorter, nrShorter]) => [
            isolateName(label), makeLink(host, label, at, length),
            formatDuration(length), pcpu === null ? "no end" : String(pcpu),
            reasons.get(`${at} ${label}`) || "",
            makePieces(host, label, length, pieces, shorter, nrShorter)]);
    const section = makeTable("Longest waits for a pcpu", "Each wait in " +
        "pieces, in the order of time: what had the pcpu. A click on a time " +
        "or on a piece shows it in the timeline.",
        [["vcpu", true], ["at"], ["length"], ["pcpu"], ["after", true],
         ["the pcpu was used by", true]], list);

    section.classList.add("span");
    return section;
}

function makeWaits(host) {
    const list = host.waits.map(
        ([label, at, length, pcpu, reason, rival, ran]) => [
            isolateName(label), makeLink(host, label, at, length),
            formatDuration(length), pcpu === null ? "no end" : String(pcpu),
            WAIT_REASONS[reason] || reason, rival === null ? "unknown"
                : `${isolateName(rival)}, ${formatDuration(ran)}`]);

    return makeTable("Longest waits for a pcpu", "The vcpu was ready to run, " +
        "and the pcpu ran another, or was idle. A click on a time shows it.",
        [["vcpu", true], ["at"], ["length"], ["pcpu"], ["after", true],
         ["ran instead", true]], list);
}
