// Draws scenes in a headless browser and compares them with the pictures of the command line.
//
//     node run.mjs FOLDER SCENES TARN COMPARE
//
// FOLDER holds page.html, browser_page.js and node_modules with playwright-core; pictures go there, too.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser } from "../web/browser.mjs";

const [folder, scenesFolder, tarn, compare] = process.argv.slice(2).map((path) => resolve(path));
const width = 320, height = 180;
const scenes = [ // name, moment [s], how a liquid is drawn
    ["pool_drops", 0.5], // a basin
    ["under_water", 0.5], // one from below
    ["river_rocks", 0.2], // land
    ["dam_break_3d", 0.1, "screen_space"], // a liquid
    ["dam_break_3d", 0.1, "mesh"],
    ["dam_break_3d", 0.1, "screen_mesh"],
    ["dam_break_2d", 0.3], // one seen from the side
    ["campfire", 0.5], // a gas
    ["explosion", 0.4], // a gas with particles that have looks
];
// Steps of color, see tests/pictures/picture.h. In a browser basins have four samples per pixel, and land is one
// step of 255 darker, by how its textures are made smaller.
const limits = ["--mean", "1", "--most", "4", "--tile", "5"];

const browser = await openBrowser(folder);

async function draw(name, at, liquid) {
    const page = await browser.newPage();
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(pathToFileURL(join(folder, "page.html")).href);
    const scene = JSON.parse(readFileSync(join(scenesFolder, `${name}.json`), "utf8"));
    if (liquid) scene.view = { ...scene.view, liquid };
    const text = JSON.stringify(scene);
    const start = Date.now();
    const drawn = await page.evaluate(([t, a, w, h]) => drawScene(t, a, w, h), [text, at, width, height])
        .catch((error) => ({ trouble: String(error) }));
    await page.close();
    return { ...drawn, said, seconds: (Date.now() - start) / 1000 };
}

let failed = 0;
for (const [name, at, liquid] of scenes) {
    const file = liquid ? `${name}_${liquid}` : name;
    const native = join(folder, `${file}.native.png`), web = join(folder, `${file}.ppm`);
    const made = spawnSync(tarn, ["render", name, "--at", at, "--size", `${width}x${height}`, "--quiet",
        "--engine", "builtin", ...(liquid ? ["--liquid", liquid] : []), "-o", native], { stdio: "inherit" });
    const { rgb, off, trouble, said, seconds } = await draw(name, at, liquid);
    let verdict = trouble, isGood = !trouble && made.status === 0;
    if (isGood) {
        writeFileSync(web, Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), Buffer.from(rgb, "base64")]));
        const shown = join(folder, `${file}.difference.png`);
        const compared = spawnSync(compare, [web, native, ...limits, "--show", shown], { encoding: "utf8" });
        isGood = compared.status === 0 && off < 0.05;
        verdict = `${compared.stdout.trim()}${compared.stderr}; the canvas is ${off.toFixed(4)} of 255 off`;
    }
    console.log(`${isGood ? "ok: " : "FAILED: "}${file} at ${at} s: ${verdict} (${seconds.toFixed(1)} s)`);
    for (const line of said) console.log(`    the browser said: ${line}`);
    failed += isGood ? 0 : 1;
}
await browser.close();
console.log(`${scenes.length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
