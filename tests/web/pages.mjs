// Drives the playground in a headless browser: every scene, its controls, links, the editor, phones, accessibility.
//
//     node tests/web/pages.mjs WEB_FOLDER TESTS_FOLDER [--quick]      --quick: three scenes, and what matters most
//     node tests/web/pages.mjs WEB_FOLDER TESTS_FOLDER scenes         only that every scene runs; `controls`: all but that
//     SCENES="beach harbor" node tests/web/pages.mjs ...              these scenes
//     SHOTS=folder node tests/web/pages.mjs ...                       also writes screenshots

import { mkdirSync, readdirSync, symlinkSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { serve } from "../../apps/web/serve.mjs";
import { isRunning, openBrowser, openPage } from "./browser.mjs";
import { axe, layoutProblems } from "./layout.mjs";

const [web, tests, ...words] = process.argv.slice(2);
const isQuick = words.includes("--quick");
const part = words.find((word) => word !== "--quick") ?? "all";
const all = readdirSync("scenes").filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
const scenes = process.env.SCENES ? process.env.SCENES.split(" ") : isQuick ? ["flagship", "lake_gate", "hourglass"] : all;
const WAIT = { timeout: 120000 }; // software rendering on a busy machine
const shots = process.env.SHOTS;
if (shots) mkdirSync(shots, { recursive: true });

const site = await serve(web);
const plain = await serve(web, 0, { isolated: false });
const browser = await openBrowser(tests);
let passed = 0, failed = 0;

let chapter = "scenes"; // and then "controls"
const open = new Set(); // pages of the running check
async function check(name, action, { isLong = false } = {}) {
    if ((isLong && isQuick) || (part !== "all" && part !== chapter)) return;
    const start = Date.now();
    let trouble = null;
    try {
        trouble = await action();
    } catch (error) {
        trouble = String(error.message ?? error).split("\n")[0];
    }
    for (const page of open) {
        if (!trouble && page.problems.length > 0) trouble = page.problems.slice(0, 3).join(" | ");
        await page.context().close().catch(() => {});
    }
    open.clear();
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    console.log(trouble ? `FAILED: web: ${name}: ${trouble}` : `ok: web: ${name} (${seconds} s)`);
    if (trouble) failed++;
    else passed++;
}

const play = (page, ...values) => page.evaluate((given) => window.tarnPage.player.engine.play(...given), values);
const shot = (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });
// A page that is closed after the check. Few pixels are drawn: drawing in software is most of the time.
async function newPage(path, { base = site.url, waits = true, pixels = 0.25, ...options } = {}) {
    const page = await openPage(browser, { viewport: { width: 1000, height: 600 }, ...options });
    open.add(page);
    const [file, fragment] = path.split("#");
    await page.goto(`${base}/${file}?pixels=${pixels}${fragment ? `#${fragment}` : ""}`);
    if (waits) await running(page);
    return page;
}
async function running(page) {
    await page.waitForFunction(isRunning, null, WAIT);
    const trouble = await page.evaluate(() => document.body.dataset.state === "trouble" && document.getElementById("trouble-text").textContent);
    if (trouble) page.problems.push(trouble);
}
async function setPanel(page, isOpen) {
    if (await page.locator("#panel").isVisible() !== isOpen)
        await page.getByRole("button", { name: isOpen ? "Parameters and status" : "Close the panel" }).click();
}
const rest = (page) => page.evaluate(() => window.tarnPage.player.stop()); // draws no more

// ---- Every scene: it loads, draws, steps, and a drag changes its state ---------------------------------------

// Places [x, y, tool] where the pointer has something to do, from the middle outwards: hovering says which tool it is. If
// the automatic tool has nothing to do anywhere, the other ones are chosen one by one, as a user would.
async function placesToDrag(page) {
    return page.evaluate(() => {
        const { player } = window.tarnPage, { engine } = player;
        engine.play("restart");
        engine.redraw();
        const grid = [];
        for (let n = 0; n < 16 * 10; ++n) grid.push([((n % 16) + 0.5) / 16, (Math.floor(n / 16) + 0.5) / 10]);
        const far = ([x, y]) => Math.hypot(x - 0.5, y - 0.55);
        grid.sort((a, b) => far(a) - far(b));
        const found = grid.filter(([x, y]) => {
            engine.play("pointer", 0, 0, x, y, 0, 0);
            return !["auto", "look"].includes(engine.play("active_tool"));
        });
        if (found.length > 0) return found.slice(0, 4).map(([x, y]) => [x, y, "auto"]);
        const others = engine.play("tools_json").map(({ id }) => id).filter((id) => !["auto", "look"].includes(id));
        return others.flatMap((tool) => grid.slice(0, 10).map(([x, y]) => [x, y, tool]));
    });
}

async function dragUntilChanged(page) {
    await page.evaluate(() => window.tarnPage.player.stop());
    await play(page, "pause", true);
    const places = await placesToDrag(page);
    for (const [x, y, tool] of places) {
        await play(page, "set_tool", tool);
        const start = await page.evaluate(async ([dx, dy]) => {
            const { player } = window.tarnPage, canvas = player.canvas, frame = canvas.getBoundingClientRect();
            const send = (type, x, y, buttons) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: "mouse", isPrimary: true,
                button: type === "pointermove" ? -1 : 0, buttons, clientX: frame.left + x * frame.width, clientY: frame.top + y * frame.height, bubbles: true }));
            canvas.setPointerCapture = () => {}; // made-up pointers cannot be captured
            // The same steps without and with a drag, from the same state.
            const run = (withDrag) => {
                if (withDrag) send("pointermove", dx, dy, 0), send("pointerdown", dx, dy, 1);
                for (let n = 1; n <= 4; ++n) {
                    if (withDrag) send("pointermove", dx + 0.02 * n, dy - 0.01 * n, 1);
                    player.engine.play("step");
                }
                if (withDrag) send("pointerup", dx + 0.08, dy - 0.04, 0);
                player.engine.play("step");
                return player.engine.play("hash_text");
            };
            player.engine.play("restart");
            player.engine.redraw();
            const without = run(false);
            player.engine.play("restart");
            player.engine.redraw();
            return { without, with: run(true) };
        }, [x, y]);
        if (start.without !== start.with) return null;
    }
    return `no drag at ${places.length} places changed the state`;
}

// One page for all of them, as for a visitor: shaders are compiled once. Its first scene is also timed, in a browser that
// has drawn nothing yet. The quick form runs beside other tests, and so has a limit for a busy machine.
const START_SECONDS = Number(process.env.START_SECONDS ?? (isQuick ? 20 : 2));
const visitor = await openPage(browser, { viewport: { width: 480, height: 300 } });
await check(`the first scene takes at most 3 MB and ${START_SECONDS} s`, async () => {
    let bytes = 0;
    const waiting = [];
    const count = (request) => waiting.push(request.sizes().then((sizes) => { bytes += sizes.responseBodySize + sizes.responseHeadersSize; }));
    visitor.on("requestfinished", count);
    const start = Date.now();
    await visitor.goto(`${site.url}/scene.html?pixels=0.25#scene=${scenes[0]}`);
    await running(visitor);
    await visitor.waitForFunction(() => window.tarnPage.player.timing().frames > 0, null, WAIT);
    const picture = (Date.now() - start) / 1000;
    visitor.off("requestfinished", count);
    await Promise.all(waiting);
    const marks = Object.fromEntries(await visitor.evaluate(() => performance.getEntriesByType("mark").map(({ name, startTime }) => [name, startTime / 1000])));
    const seconds = marks["tarn: running"];
    console.log(`web: first scene: ${(bytes / 1e6).toFixed(2)} MB transferred, runs after ${seconds.toFixed(2)} s, first picture after ${picture.toFixed(2)} s`);
    if (bytes > 3e6) return `${bytes} bytes`;
    return seconds < START_SECONDS ? null : `it runs after ${seconds.toFixed(2)} s`;
});
for (const name of scenes) {
    await check(`${name} loads, steps, and a drag changes its state`, async () => {
        visitor.problems.length = 0;
        await visitor.evaluate(() => { document.body.dataset.state = "loading"; });
        await visitor.goto(`${site.url}/scene.html?pixels=0.25#scene=${name}&visit=1`); // no new page, but another fragment
        await running(visitor);
        if (await play(visitor, "name") !== name) return `${await play(visitor, "name")} is open`;
        if (visitor.problems.length > 0) return visitor.problems.join(" | ");
        await visitor.waitForFunction(() => window.tarnPage.player.engine.play("step_count") > 0 && window.tarnPage.player.timing().frames > 1, null, WAIT);
        const hash = await visitor.locator(".reading.hash").textContent();
        if (!/^[0-9a-f]{16}$/.test(hash)) return `the page shows the hash '${hash}'`;
        return await dragUntilChanged(visitor) ?? (visitor.problems.slice(0, 3).join(" | ") || null);
    });
}
await visitor.context().close();
chapter = "controls";

// ---- Controls ------------------------------------------------------------------------------------------------

// One page for these, too.
let desk = null, visits = 0;
async function atDesk(name) {
    desk ??= await openPage(browser, { viewport: { width: 1000, height: 600 }, permissions: ["clipboard-read", "clipboard-write"] });
    desk.problems.length = 0;
    await desk.evaluate(() => { document.body.dataset.state = "loading"; });
    await desk.goto(`${site.url}/scene.html?pixels=0.25#scene=${name}&visit=${++visits}`); // no new page, but another fragment
    await running(desk);
    await rest(desk);
    return desk;
}

await check("a slider changes a parameter, and reset takes it back", async () => {
    const page = await atDesk("flagship");
    const row = page.locator('[data-path="wave.damping"]');
    await page.getByRole("searchbox", { name: "Search parameters" }).fill("wave.damping");
    const slider = row.locator("input[type=range]");
    const before = await play(page, "value", "wave.damping");
    await slider.focus();
    await page.keyboard.press("End");
    const after = await play(page, "value", "wave.damping");
    if (before === after) return `it stayed ${before}`;
    const changes = await play(page, "changes");
    if (!changes.startsWith("wave.damping=")) return `changes are '${changes}'`;
    await row.getByRole("button", { name: /Reset/ }).click();
    if (await play(page, "value", "wave.damping") !== before) return "reset did not take it back";
    return null;
});

await check("a number, a choice and a switch change parameters; a bad number shows the reader's sentence", async () => {
    const page = await atDesk("flagship");
    const find = (path) => page.getByRole("searchbox", { name: "Search parameters" }).fill(path);
    await find("world.gravity");
    await page.locator('[data-path="world.gravity"] input[type=number]').fill("3.5");
    await page.keyboard.press("Enter");
    if (Number(await play(page, "value", "world.gravity")) !== 3.5) return `gravity is ${await play(page, "value", "world.gravity")}`;
    await find("view.sky");
    await page.locator('[data-path="view.sky"] select').selectOption("dusk");
    if (!(await play(page, "value", "view.sky")).includes("dusk")) return "the sky did not change";
    await find("wave.damping");
    await page.locator('[data-path="wave.damping"] input[type=number]').fill("-5");
    await page.keyboard.press("Enter");
    const said = await page.locator("#toast").textContent();
    if (!/wave\.damping.*allowed/.test(said)) return `the page says '${said}'`;
    return null;
}, { isLong: true });

await check("pause, step, step back, restart and speed, by buttons and keys", async () => {
    const page = await atDesk("pool_drops");
    await page.evaluate(() => window.tarnPage.player.run());
    await page.waitForFunction(() => window.tarnPage.player.engine.play("step_count") > 2, null, WAIT);
    await page.getByRole("button", { name: "Pause" }).click();
    await rest(page);
    const hash = await play(page, "hash_text"), steps = await play(page, "step_count");
    await page.getByRole("button", { name: "One step forward" }).click();
    if (await play(page, "step_count") !== steps + 1 || await play(page, "hash_text") === hash) return "one step did not step";
    await page.locator("#picture").focus();
    await page.keyboard.press(",");
    if (await play(page, "hash_text") !== hash) return "one step back is another state";
    await page.keyboard.press(".");
    await page.keyboard.press("Space");
    if (await play(page, "is_paused")) return "Space did not go on";
    await page.getByRole("combobox", { name: "Speed" }).selectOption("0.25");
    if (await play(page, "speed") !== 0.25) return "the speed did not change";
    await page.locator("#picture").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("r");
    if (await play(page, "time") > 0.5) return "R did not start over";
    await page.evaluate(() => window.tarnPage.player.engine.redraw()); // a camera turns from where it was drawn last
    await page.keyboard.press("ArrowLeft");
    await page.evaluate(() => window.tarnPage.player.engine.redraw());
    if (await play(page, "camera") === "") return "an arrow key did not move the camera";
    await page.keyboard.press("0");
    return null;
});

await check("a share link restores scene, parameters and camera", async () => {
    const page = await atDesk("harbor");
    await play(page, "set", "wave.damping", "0.125");
    await play(page, "orbit", 0.4, 0.1);
    await page.evaluate(() => window.tarnPage.player.engine.redraw());
    await page.getByRole("button", { name: "Copy a link to this" }).click();
    await page.waitForFunction(() => document.getElementById("toast")?.textContent.includes("link"));
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const camera = await play(page, "camera");
    if (link !== page.url()) return `the clipboard has '${link}'`;
    const other = await newPage(`scene.html#${link.split("#")[1]}`);
    await rest(other);
    const restored = [await play(other, "name"), await play(other, "value", "wave.damping"), await play(other, "camera")];
    if (JSON.stringify(restored) !== JSON.stringify(["harbor", "0.125", camera])) return `restored ${restored} instead of ${camera}`;
    return null;
});

await check("the picture is saved as a PNG", async () => {
    const page = await atDesk("pool_drops");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the picture" }).click()]);
    const picture = await page.evaluate(async () => {
        const blob = await window.tarnPage.player.picture();
        const bitmap = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), to = canvas.getContext("2d");
        to.drawImage(bitmap, 0, 0);
        return { width: bitmap.width, colors: new Set(new Uint32Array(to.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size };
    });
    if (!/^tarn_pool_drops_.*\.png$/.test(download.suggestedFilename())) return download.suggestedFilename();
    if (picture.colors < 500) return `it has ${picture.colors} colors`;
    return null;
}, { isLong: true });

await check("touch: a finger uses the tool, two fingers move the camera", async () => {
    const page = await newPage("scene.html#scene=pool_drops", { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
    await rest(page);
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    await play(page, "pause", true);
    await touch("touchStart", [[150, 400], [250, 400]]);
    for (let n = 1; n < 6; ++n) await touch("touchMove", [[150 - 8 * n, 400], [250 + 8 * n, 400 + 6 * n]]);
    await touch("touchEnd", []);
    await page.evaluate(() => window.tarnPage.player.engine.redraw());
    if (await play(page, "camera") === "") return "pinching did not move the camera";
    return null;
}, { isLong: true });


// ---- The editor ------------------------------------------------------------------------------------------------

const writer = await openPage(browser, { viewport: { width: 1100, height: 640 } });
await check("the editor marks an error at its line and column, and follows a valid edit", async () => {
    const page = writer;
    await page.goto(`${site.url}/editor.html?pixels=0.25#scene=pool_drops`);
    await running(page);
    await rest(page);
    const area = page.getByRole("textbox", { name: "Scene as JSON" });
    const text = await area.inputValue();
    await area.fill(text.replace(/"nx": \d+/, '"nx": -7'));
    const line = text.split("\n").findIndex((one) => one.includes('"nx":')) + 1;
    const column = text.split("\n")[line - 1].indexOf('"nx":') + 7;
    await page.waitForSelector(".bad-place", WAIT);
    const said = await page.locator("#editor-message").textContent();
    if (!said.startsWith(`pool_drops.json:${line}:`) || !/allowed: 2 to/.test(said)) return `it says '${said}', line ${line}, column ${column}`;
    if (await page.locator(".code-numbers .bad").textContent() !== `${line}\n`) return "another line is marked";
    if (await page.locator(".bad-place").textContent() !== "-7") return `marked: ${await page.locator(".bad-place").textContent()}`;
    await shot(page, "editor_error");
    await area.fill(text.replace(/"title": "[^"]*"/, '"title": "Edited by a test"'));
    await page.waitForFunction(() => document.title.startsWith("Edited by a test"), null, WAIT);
    if (await page.locator(".bad-place").count() > 0) return "the mark stayed";
    await area.fill(text.slice(0, -3)); // not JSON
    await page.waitForSelector(".bad-place", WAIT);
    await area.fill(text);
    await page.waitForFunction(() => document.querySelector(".bad-place") === null, null, WAIT);
    return page.problems.slice(0, 3).join(" | ") || null;
});

// ---- Phones, accessibility, what is missing, size and time -----------------------------------------------------

// Scene and editor are looked at in the pages that are open already: loading one again takes seconds without a GPU.
for (const [file, name] of [["index.html", "landing"], ["gallery.html", "gallery"], ["scene.html", "scene"], ["editor.html", "editor"]]) {
    for (const [width, height, size] of [[390, 844, "phone"], [1280, 800, "desktop"]]) {
        await check(`${name} at ${size} size: no overlap, no text below 12 px, nothing serious from axe`, async () => {
            const isLive = name === "scene" || name === "editor";
            const page = name === "scene" ? await atDesk("flagship") : name === "editor" ? writer : await newPage(file, { waits: false });
            await page.emulateMedia({ colorScheme: size === "phone" ? "light" : "dark" });
            await page.setViewportSize({ width, height });
            if (name === "scene") await setPanel(page, size === "desktop");
            if (isLive) await page.evaluate(() => window.tarnPage.player.engine.redraw());
            const problems = await page.evaluate(layoutProblems);
            await shot(page, `${name}_${size}`);
            for (const between of name === "editor" && size === "desktop" ? [900, 1000, 1100] : []) {
                await page.setViewportSize({ width: between, height });
                problems.push(...(await page.evaluate(layoutProblems)).map((one) => `at ${between} px: ${one}`));
                await shot(page, `editor_${between}`);
            }
            problems.push(...await axe(page, tests));
            if (name === "scene" && size === "phone") { // and with the panel open
                await setPanel(page, true);
                problems.push(...await page.evaluate(layoutProblems), ...await axe(page, tests));
                await shot(page, "scene_phone_panel");
            }
            return problems.join(" | ") || null;
        }, { isLong: size === "desktop" });
    }
}

await check("demos of the landing page run in place, one after the other", async () => {
    const page = await newPage("index.html", { waits: false, pixels: 0.1 });
    for (const selector of [".hero", '.demo[data-scene="sprinkle_level"]']) {
        await page.locator(`${selector} .demo-run`).click();
        await page.waitForSelector(`${selector}.live canvas`, WAIT);
        await page.waitForFunction((one) => /state [0-9a-f]{16}/.test(document.querySelector(`${one} .demo-reading`).textContent), selector, WAIT);
        await shot(page, `landing_live_${selector === ".hero" ? 1 : 2}`);
    }
    return await page.locator(".demo.live").count() === 1 ? null : "two demos run at once";
}, { isLong: true });

await check("a browser without WebGL 2 or SIMD is told what is missing", async () => {
    const page = await openPage(browser);
    open.add(page);
    await page.addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null;
        WebAssembly.validate = () => false;
    });
    await page.goto(`${site.url}/scene.html`);
    const said = await page.getByRole("alert").first().textContent();
    await shot(page, "unsupported");
    return /lacks WebAssembly SIMD and WebGL 2/.test(said) ? null : `it says '${said}'`;
});

await check("one thread where the page is not isolated, and the same state hash as with two", async () => {
    const hash = async (page) => {
        await rest(page);
        await play(page, "pause", true);
        await play(page, "restart");
        await play(page, "run_to", 10, 60);
        return [await page.evaluate(() => window.tarnPage.player.engine.threads), await play(page, "hash_text")];
    };
    const [many, one] = [await hash(await atDesk("flagship")), await hash(await newPage("scene.html#scene=flagship", { base: plain.url, pixels: 0.1 }))];
    if (one[0] !== 1) return `${one[0]} threads without isolation`;
    return many[1] === one[1] ? null : `${many[0]} threads: ${many[1]}, one: ${one[1]}`;
});

for (const [file, line] of [["hello", /state [0-9a-f]{16}/], ["three", /state [0-9a-f]{16}/]]) {
    await check(`examples/${file}.html of the package runs`, async () => {
        const modules = join(resolve(web), "package", "node_modules"); // three.js comes from npm, for this test only
        if (!existsSync(modules)) symlinkSync(join(resolve(tests), "node_modules"), modules);
        const page = await newPage(`package/examples/${file}.html`, { waits: false, viewport: { width: 500, height: 400 } });
        await page.waitForFunction((pattern) => new RegExp(pattern).test(document.getElementById("line")?.textContent), line.source, WAIT);
        if (shots) await page.waitForTimeout(3000);
        await shot(page, `example_${file}`);
        return null;
    }, { isLong: file === "hello" });
}

await browser.close();
site.close();
plain.close();
console.log(`web: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
