// A headless Chromium, and pages that collect what goes wrong in them.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

// playwright-core is installed in the build folder, not beside these files.
export async function openBrowser(folder) {
    const { chromium } = createRequire(join(resolve(folder), "package.json"))("playwright-core");
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
    if (!existsSync(executablePath)) {
        console.error(`browser: there is no ${executablePath} (scripts/setup.sh browser, or set CHROMIUM)`);
        process.exit(1);
    }
    // A processor draws: the same on every machine.
    return chromium.launch({ executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
        "--ignore-gpu-blocklist", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
        "--disable-sync"] });
}

// A page whose `problems` fill with errors of the console, exceptions, and files that are missing.
export async function openPage(browser, options = {}) {
    const context = await browser.newContext({ viewport: { width: 960, height: 600 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(120000); // software rendering on a busy machine
    page.problems = [];
    page.on("console", (message) => {
        // The browser's own notes about software rendering are none of ours.
        if (message.type() === "error" || (message.type() === "warning" && !/GPU stall|GL Driver Message/.test(message.text()))) page.problems.push(message.text());
    });
    page.on("pageerror", (error) => page.problems.push(String(error)));
    page.on("response", (answer) => answer.status() >= 400 && page.problems.push(`${answer.status()} ${answer.url()}`));
    return page;
}

export const isRunning = () => ["running", "trouble"].includes(document.body.dataset.state);
