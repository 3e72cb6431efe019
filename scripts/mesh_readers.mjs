// Run by scripts/mesh_readers.sh: what three.js finds in .glb and .ply files, one line each.
//
//     node scripts/mesh_readers.mjs path/to/node_modules/three a.glb b.ply ...
import fs from 'fs';
import path from 'path';
import { pathToFileURL } from 'url';

const [home, ...files] = process.argv.slice(2);
const load = name => import(pathToFileURL(path.join(home, name)));
const { AnimationMixer } = await load('build/three.module.js');
const { GLTFLoader } = await load('examples/jsm/loaders/GLTFLoader.js');
const { PLYLoader } = await load('examples/jsm/loaders/PLYLoader.js');
globalThis.self = globalThis;

function bytes(file) {
    const b = fs.readFileSync(file);
    return b.buffer.slice(b.byteOffset, b.byteOffset + b.length);
}

function tell(file, geometry) {
    const a = geometry.attributes;
    const names = Object.keys(a).map(name => name.replace(/^_/, '')).sort();
    console.log(`three: ${file}: ${a.position.count} vertices, ${geometry.index.count / 3} triangles, ${names.join(' ')}`);
}

// Which meshes a film shows in the middle of each of its frames.
function play(file, gltf) {
    const mixer = new AnimationMixer(gltf.scene), film = gltf.animations[0], shown = [];
    mixer.clipAction(film).play();
    for (let i = 0; i < film.tracks.length; ++i) {
        mixer.setTime((i + 0.5) * film.duration / film.tracks.length);
        gltf.scene.traverse(o => { if (o.isMesh && o.scale.x > 0.5) shown.push(o.name); });
    }
    console.log(`three: ${file}: ${film.duration} s: ${shown.join(' ')}`);
}

const ply = new PLYLoader();
ply.setCustomPropertyNameMapping({ velocity: ['vx', 'vy', 'vz'] });
for (const file of files) {
    if (file.endsWith('.ply')) {
        tell(file, ply.parse(bytes(file)));
        continue;
    }
    const gltf = await new GLTFLoader().parseAsync(bytes(file), '');
    if (gltf.animations.length > 0)
        play(file, gltf);
    else
        gltf.scene.traverse(o => { if (o.isMesh) tell(file, o.geometry); });
}
