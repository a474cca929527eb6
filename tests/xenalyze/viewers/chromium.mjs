// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chromium without a window, steered through a pipe: tests need no port.
// Messages of its protocol are JSON and end in a NUL.
import assert from "node:assert";
import { spawn } from "node:child_process";

export const complaints = [], requests = [];

const answers = new Map();
let chromium, number = 0, session, pending = "";

const listeners = {
    "Runtime.exceptionThrown": ({ exceptionDetails: e }) =>
        complaints.push(e.exception ? e.exception.description : e.text),
    "Runtime.consoleAPICalled": ({ args }) =>
        complaints.push(JSON.stringify(args)),
    "Log.entryAdded": ({ entry }) => complaints.push(entry.text),
    "Network.requestWillBeSent": ({ request }) => requests.push(request.url),
};

function receive(message) {
    if (!message.id) {
        if (listeners[message.method])
            listeners[message.method](message.params);
        return;
    }
    const { accept, reject } = answers.get(message.id);

    answers.delete(message.id);
    if (message.error)
        reject(new Error(message.error.message));
    else
        accept(message.result);
}

// The profile is a folder of Chromium; more: further options.
export function startChromium(profile, ...more) {
    chromium = spawn("chromium", [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-extensions", "--remote-debugging-pipe",
        `--user-data-dir=${profile}`, ...more, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    chromium.stdio[4].on("data", (bytes) => {
        const parts = (pending + bytes).split("\0");

        pending = parts.pop();
        for (const part of parts)
            receive(JSON.parse(part));
    });
}

export function closeChromium() {
    chromium.on("exit", () => process.exit());
    chromium.kill();
}

export function send(method, params = {}) {
    return new Promise((accept, reject) => {
        answers.set(++number, { accept, reject });
        chromium.stdio[3].write(JSON.stringify({
            id: number, method, params, sessionId: session,
        }) + "\0");
    });
}

export async function openPage(url, { width, height }) {
    const { targetInfos } = await send("Target.getTargets");
    const { targetId } = targetInfos.find((t) => t.type === "page");
    const attached = await send("Target.attachToTarget",
                                { targetId, flatten: true });

    session = attached.sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"])
        await send(`${domain}.enable`);
    await send("Emulation.setDeviceMetricsOverride", {
        width, height, deviceScaleFactor: 1, mobile: false,
    });
    await send("Page.navigate", { url });
}

export async function evaluate(expression) {
    const { result, exceptionDetails } = await send("Runtime.evaluate", {
        expression, returnByValue: true, awaitPromise: true,
    });

    assert(!exceptionDetails, JSON.stringify(exceptionDetails));
    return result.value;
}

// Waits until the expression holds; what: the failure if it never does.
export async function until(expression, what) {
    for (let i = 0; i < 1200; i++) {
        if (await evaluate(expression))
            return;
        await new Promise((done) => setTimeout(done, 50));
    }
    assert.fail(`${what}: ${complaints}`);
}
