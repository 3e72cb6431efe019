// State hashes after 300 steps of each scene: native, wasm with one thread and wasm with two give the same.
//
//     node tests/web/hashes.mjs WEB_FOLDER TARN [SCENE...]     these scenes; all if none is named
//     node tests/web/hashes.mjs WEB_FOLDER TARN --quick        a scene of each family, 60 steps

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [web, tarn, ...given] = process.argv.slice(2);
const isQuick = given[0] === "--quick";
const steps = isQuick ? 60 : 300;
const { load } = await import(pathToFileURL(join(resolve(web), "package", "index.js")));
const scenes = isQuick ? ["pool_drops", "lake_gate", "hourglass", "jetpack", "sparks"]
    : given.length > 0 ? given : readdirSync("scenes").filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
const modules = [await load({ threads: 1 }), await load({ threads: 2 })];

function runAsWasm(module, name) {
    const world = module.createWorld(readFileSync(join("scenes", `${name}.json`), "utf8"), { name: `${name}.json` });
    for (let n = 0; n < steps; ++n) world.step();
    const result = { hash: world.hash, seconds: steps * world.dt };
    world.destroy();
    return result;
}

let failed = 0;
for (const name of scenes) {
    const start = Date.now();
    const [one, two] = modules.map((module) => runAsWasm(module, name));
    const native = spawnSync(tarn, ["run", name, "--seconds", String(one.seconds), "--threads", "1", "--engine", "builtin", "--hash", "--quiet"],
        { encoding: "utf8", env: { ...process.env, TARN_SCENES: "scenes" } });
    const hash = native.stdout.trim().split(/\s+/).pop();
    const isGood = native.status === 0 && hash === one.hash && hash === two.hash;
    failed += isGood ? 0 : 1;
    console.log(isGood ? `ok: ${name}, ${steps} steps: ${hash} (${((Date.now() - start) / 1000).toFixed(1)} s)`
        : `FAILED: ${name}: native ${hash || native.stderr.trim()}, wasm ${one.hash}, wasm with threads ${two.hash}`);
}
for (const module of modules) module.close();
console.log(`hashes: ${scenes.length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
