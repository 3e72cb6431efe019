// Steps and frames per second of the playground in a browser, against native code. What is drawn here is drawn in
// software on both sides, so frames say how much of them is rendering.
//
//     node tests/web/bench.mjs WEB_FOLDER TESTS_FOLDER TARN [scene...]

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { serve } from "../../apps/web/serve.mjs";
import { isRunning, openBrowser, openPage } from "./browser.mjs";

const [web, tests, tarn, ...given] = process.argv.slice(2);
// Scenes with work for two threads: where a step takes a millisecond or less, native code gains nothing from a second one either.
const scenes = given.length > 0 ? given : ["dam_break_2d", "dam_break_3d", "campfire", "chimney", "wind_tunnel"];
const STEPS = 40, WARM = 20; // steps that are measured, and steps before them
const REPEATS = 2;           // the best counts
const FRAMES = 4;
const WAIT = { timeout: 180000 };

// Milliseconds per step of native code, by its own clock: reading the scene is no part of it.
function native(scene, threads, isa = "auto") {
    const dt = JSON.parse(readFileSync(`scenes/${scene}.json`, "utf8")).run?.dt ?? 1 / 60;
    const run = (steps) => {
        const done = spawnSync(resolve(tarn), ["run", scene, "--seconds", String(steps * dt), "--threads", String(threads), "--isa", isa, "--engine", "builtin"],
            { encoding: "utf8", env: { ...process.env, TARN_SCENES: "scenes" } });
        const said = /: (\d+) steps to .* s, ([\d.]+) ms per step/.exec(done.stdout + done.stderr);
        if (done.status !== 0 || !said) throw new Error(`tarn run ${scene}: ${done.stderr}`);
        return Number(said[1]) * Number(said[2]);
    };
    const samples = Array.from({ length: REPEATS }, () => (run(WARM + STEPS) - run(WARM)) / STEPS);
    return Math.min(...samples);
}

// Milliseconds of a native picture of 1280x720: the difference between one and several frames of a run.
function nativeFrame(scene) {
    const run = (frames) => {
        const start = process.hrtime.bigint();
        spawnSync(resolve(tarn), ["run", scene, "--seconds", String(frames / 30), "--fps", "30", "--size", "1280x720", "--png", "/dev/shm/tarn_bench_web",
            "--every", "1", "--engine", "builtin", "--quiet"], { env: { ...process.env, TARN_SCENES: "scenes" } });
        return Number(process.hrtime.bigint() - start) / 1e6;
    };
    const few = run(1);
    return (run(1 + FRAMES) - few) / FRAMES;
}

async function inBrowser(browser, url, scene, threads) {
    const page = await openPage(browser, { viewport: { width: 1280, height: 720 } });
    await page.goto(`${url}/scene.html?threads=${threads}&pixels=0.05#scene=${scene}`);
    await page.waitForFunction(isRunning, null, WAIT);
    const ms = await page.evaluate(([steps, warm, repeats]) => {
        const { player } = window.tarnPage, { engine } = player;
        player.stop();
        let best = Infinity;
        for (const end = performance.now() + 2500; performance.now() < end;) engine.play("run_to", 1e6, 4); // until the compiler is done with it
        for (let n = 0; n < repeats; ++n) {
            engine.play("restart");
            engine.play("run_to", 1e6, warm);
            const start = performance.now();
            engine.play("run_to", 1e6, steps);
            best = Math.min(best, (performance.now() - start) / steps);
        }
        return best;
    }, [STEPS, WARM, REPEATS]);
    const used = await page.evaluate(() => window.tarnPage.player.engine.threads);
    await page.context().close();
    return { ms, used };
}

// A frame of 1280x720 as the page makes it: two steps and the picture, read back so that drawing is over.
async function frameInBrowser(browser, url, scene) {
    const page = await openPage(browser, { viewport: { width: 1280, height: 720 } });
    await page.goto(`${url}/scene.html?threads=2#scene=${scene}`);
    await page.waitForFunction(isRunning, null, WAIT);
    const result = await page.evaluate((frames) => {
        const { player } = window.tarnPage, { engine, canvas } = player;
        player.stop();
        const gl = canvas.getContext("webgl2"), pixel = new Uint8Array(4);
        const frame = () => {
            const start = performance.now();
            engine.frame(1 / 30);
            const stepped = engine.stepMs();
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            return { all: performance.now() - start, stepped };
        };
        frame();
        const many = Array.from({ length: frames }, frame);
        const mean = (key) => many.reduce((sum, one) => sum + one[key], 0) / frames;
        return { all: mean("all"), stepped: mean("stepped"), size: `${canvas.width}x${canvas.height}` };
    }, FRAMES);
    await page.context().close();
    return result;
}

// From the click to the first picture, with nothing in the cache.
async function firstScene(browser, url) {
    const page = await openPage(browser, { viewport: { width: 1280, height: 720 } });
    const start = Date.now();
    await page.goto(`${url}/scene.html#scene=flagship`);
    await page.waitForFunction(isRunning, null, WAIT);
    const running = (Date.now() - start) / 1000;
    await page.waitForFunction(() => window.tarnPage.player.timing().frames > 0, null, WAIT);
    console.log(`first scene: runs after ${running.toFixed(2)} s, first picture after ${((Date.now() - start) / 1000).toFixed(2)} s ` +
        "(shaders are compiled in between, here by a CPU)\n");
    await page.context().close();
}

const site = await serve(web);
const browser = await openBrowser(tests);
const rate = (ms) => (1000 / ms).toFixed(ms > 100 ? 1 : 0).padStart(6);
let isShort = false;
await firstScene(browser, site.url);
console.log("steps per second          native 1  native 2  128 bits |  wasm 1  wasm 2 | wasm 1 of native 1  of 128 bits   wasm 2 of wasm 1");
for (const scene of scenes) {
    const [one, two, narrow] = [native(scene, 1), native(scene, 2), native(scene, 1, "baseline")];
    const [page1, page2] = [await inBrowser(browser, site.url, scene, 1), await inBrowser(browser, site.url, scene, 2)];
    if (page2.used !== 2) throw new Error(`the page uses ${page2.used} threads`);
    const share = one / page1.ms, gain = page1.ms / page2.ms;
    const misses = [share < 0.4 && "under 40 %", gain < 1.5 && "under 1.5 times"].filter(Boolean).join(", ");
    isShort ||= misses !== "";
    console.log(`${scene.padEnd(26)}  ${rate(one)}    ${rate(two)}    ${rate(narrow)} |  ${rate(page1.ms)}  ${rate(page2.ms)} | ${(100 * share).toFixed(0).padStart(16)} %` +
        `${(100 * narrow / page1.ms).toFixed(0).padStart(11)} %  ${gain.toFixed(2).padStart(15)}${misses ? `   ${misses}` : ""}`);
}
if (!process.env.STEPS_ONLY) {
    console.log("\nframes per second at 1280x720, drawn in software, two steps each; share of rendering in brackets");
    for (const scene of scenes) {
        const frame = await frameInBrowser(browser, site.url, scene);
        const steps = 2 * native(scene, 2), picture = nativeFrame(scene);
        const drawn = (all, stepped) => `${(1000 / all).toFixed(2).padStart(6)} (${(100 * Math.max(0, 1 - stepped / all)).toFixed(0)} % rendering)`;
        console.log(`${scene.padEnd(26)} browser ${drawn(frame.all, frame.stepped)}   native ${drawn(Math.max(picture, steps), steps)}   ${frame.size}`);
    }
}
await browser.close();
site.close();
if (isShort) console.log("\nbench-web: some figures miss the goals: 40 % of native with one thread, 1.5 times that with two");
