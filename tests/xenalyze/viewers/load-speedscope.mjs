// SPDX-License-Identifier: GPL-2.0-or-later
//
// load-speedscope.mjs URL PROFILE PATTERN: opens speedscope in Chromium, and
// prints the page without its tags once the pattern matches that.  The profile
// is a folder of Chromium.
import { closeChromium, evaluate, openPage, startChromium,
         until } from "./chromium.mjs";

const [url, profile, pattern] = process.argv.slice(2);
const text = 'document.documentElement?.outerHTML.replace(/<[^>]*>/g, " ")';

startChromium(profile, "--use-gl=angle", "--use-angle=swiftshader",
              "--enable-unsafe-swiftshader", "--allow-file-access-from-files");
try {
    await openPage(url, { width: 1200, height: 900 });
    await until(`RegExp(${JSON.stringify(pattern)}).test(${text})`,
                `the page never has ${pattern}`);
    process.stdout.write(await evaluate(text));
} catch (error) {
    console.error(error.stack);
    process.exitCode = 1;
} finally {
    closeChromium();
}
