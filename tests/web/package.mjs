// The npm package, as a project gets it: packed, installed in an empty folder, used from node; its types are complete.
//
//     node tests/web/package.mjs WEB_FOLDER TESTS_FOLDER

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [web, tests] = process.argv.slice(2).map((path) => resolve(path));
const project = join(tests, "project");
let failed = 0, passed = 0;

function check(name, isGood, more = "") {
    console.log(`${isGood ? "ok: " : "FAILED: "}package: ${name}${isGood ? "" : ` ${more}`}`);
    if (isGood) passed++;
    else failed++;
}
function errorOf(action) {
    try {
        action();
    } catch (error) {
        return error;
    }
    return null;
}

rmSync(project, { recursive: true, force: true });
mkdirSync(project, { recursive: true });
const packed = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", project], { cwd: join(web, "package"), encoding: "utf8" }))[0];
check(`npm pack: ${(packed.size / 1e6).toFixed(2)} MB, ${packed.files.length} files`,
    ["index.js", "index.d.ts", "wasm/tarn.wasm", "wasm/tarn-threads.wasm", "wasm/tarn-threads.worker.js", "LICENSE", "README.md"]
        .every((name) => packed.files.some((file) => file.path === name)), packed.files.map((file) => file.path).join(" "));
writeFileSync(join(project, "package.json"), '{ "type": "module" }');
execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--offline", join(project, packed.filename)], { cwd: project });
const installed = join(project, "node_modules", "tarn-fluids");
const said = execFileSync("node", [join(installed, "examples", "node.mjs")], { encoding: "utf8" });
check("examples/node.mjs runs and ends", /after 5\.\d+ s with \d+ threads: water at -?[\d.]+ m, state [0-9a-f]{16}/.test(said), said);

const { load, TarnError } = await import(pathToFileURL(join(installed, "index.js")));
const tarn = await load({ threads: 2 });
const scene = { tarn: 1, solvers: [{ kind: "wave", nx: 64, nz: 32, dx: 0.1, depth: 1 }], bodies: [{ shape: "box", size: 0.2, position: [1, 0.5, 1] }] };
const world = tarn.createWorld(scene, { set: { "wave.damping": 0.2 } });
const before = world.hash;
const poured = world.pour(3.2, 1.6, 0.4, 0.01);
check("pour changes the state", poured > 0.009 && world.hash !== before, `poured ${poured}`);
check("queries see what was poured", world.surfaceHeight(3.2, 1.6) > 0.001, String(world.surfaceHeight(3.2, 1.6)));
const { values, nx, nz, row, dx, origin } = world.view("wave", "height");
check("a view has the shape of the solver", nx === 64 && nz === 32 && Math.abs(dx - 0.1) < 1e-6 && row >= nx, JSON.stringify({ nx, nz, row, dx, origin }));
check("a view agrees with a query", Math.abs(origin[1] + values[31 + row * 15] - world.surfaceHeight(origin[0] + 31 * dx, origin[2] + 15 * dx)) < 1e-5);
check("a view is the solver's memory: two of them are the same bytes", world.view("wave", "height").values.byteOffset === values.byteOffset
    && world.view(0, "height").values.buffer === values.buffer);
const samples = world.surface([1, 1, 2, 1.5], { depth: true, normal: true, velocity: true });
check("samples of two points", samples.height.length === 2 && samples.normal.length === 6 && samples.depth[0] > 0.9 && samples.normal[1] > 0.9);
const snapshot = world.save();
const saved = world.hash;
world.step();
const stepped = world.hash;
world.load(snapshot);
check("save and load restore the hash", world.hash === saved && stepped !== saved);
world.step();
check("the same step gives the same hash", world.hash === stepped);
check("bodies", world.bodies().length === 1 && world.bodies()[0].shape === "box" && world.bodies()[0].position[1] < 0.5);
const wrong = errorOf(() => tarn.createWorld('{ "tarn": 1,\n  "solvers": [{ "kind": "wave", "nx": -4 }] }', { name: "pool.json" }));
check("an invalid scene throws with place and remedy", wrong instanceof TarnError && wrong.line === 2 && wrong.column > 1
    && /^pool\.json:2:\d+: wave\.nx: -4 .*allowed/.test(wrong.message), String(wrong));
check("an unknown view names those that exist", /it has height/.test(errorOf(() => world.view("wave", "salt"))?.message));
check("an unknown solver names those that exist", /there are wave/.test(errorOf(() => world.view("sea", "height"))?.message));
check("a step beyond the range is refused", errorOf(() => world.step(11)) instanceof TarnError);
world.destroy();
check("a destroyed world throws", errorOf(() => world.step()) instanceof TarnError);
for (let n = 0; n < 200; ++n) tarn.createWorld(scene).destroy(); // memory comes back: 200 worlds would not fit otherwise
const liquid = tarn.createWorld(readFileSync(join(installed, "scenes", "dam_break_2d.json"), "utf8"));
liquid.step();
const x = liquid.view("liquid", "x"), id = liquid.view("liquid", "id");
check("particles", x.nx > 1000 && x.values.length === x.nx && id.values instanceof Uint32Array && Math.min(...x.values) >= 0);
liquid.destroy();
tarn.close();

// Every call of the classes is in the types.
const types = readFileSync(join(installed, "index.d.ts"), "utf8");
const calls = [...readFileSync(join(installed, "index.js"), "utf8").matchAll(/^ {4}(?:get )?([a-z]\w*)\([^)]*\) ?\{/gm)].map((match) => match[1])
    .filter((name) => !["constructor", "if", "for"].includes(name));
const untyped = calls.filter((name) => !new RegExp(`\\b${name}\\b[(:?]`).test(types));
check(`types have all ${calls.length} calls`, calls.length > 10 && untyped.length === 0, untyped.join(" "));
console.log(`package: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
