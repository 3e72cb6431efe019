// Tarn on a server: the state after five seconds, and the height of the water under a boat.
//     node node_modules/tarn-fluids/examples/node.mjs

import { readFileSync } from "node:fs";
import { load } from "../index.js";

const tarn = await load();
const world = tarn.createWorld(readFileSync(new URL("../scenes/pool_drops.json", import.meta.url), "utf8"));
while (world.time < 5) world.step();
console.log(`${world.title} after ${world.time.toFixed(2)} s with ${tarn.threads} threads: ` +
    `water at ${world.surfaceHeight(0, 0).toFixed(4)} m, state ${world.hash}`);
world.destroy();
tarn.close();
