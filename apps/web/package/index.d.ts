// Tarn in JavaScript and TypeScript. Units are SI: meters, seconds, kilograms. y is up.

export interface LoadOptions {
    /** Threads to step with, 1 to 16. Default: one per core, up to 4. One where threads are not available. */
    threads?: number;
    /** Folder of the WebAssembly files, if they are not beside index.js: its URL, with a slash at the end. */
    base?: URL | string;
}

/** Loads the module. Load it once, and create as many worlds as you like. */
export function load(options?: LoadOptions): Promise<Tarn>;

/** Whether threads are available: always in node; on pages that are cross-origin isolated (COOP and COEP headers). */
export function canUseThreads(): boolean;

/** What is wrong, in a sentence that names the field, its value, the allowed range and the remedy. */
export class TarnError extends Error {
    /** Place in the scene text, both from 1, where the error is about one. */
    line?: number;
    column?: number;
}

export interface Tarn {
    readonly version: string;
    readonly threads: number;
    /**
     * Creates a world from a scene: JSON text, or an object that is written as such. Throws a TarnError if it is not
     * valid; nothing stays allocated then.
     */
    createWorld(scene: string | object, options?: WorldOptions): World;
    /** Ends the threads. Destroy all worlds first. */
    close(): void;
}

export interface WorldOptions {
    /** Stands for the text in messages. Default: "scene". */
    name?: string;
    /** Values that replace those of the text, by path: { "wave.damping": 0.2, "boat.position": [0, 1, 0] }. */
    set?: Record<string, string | number | boolean | number[]>;
}

export interface StepReport {
    /** Simulated time that the step advanced by, and the part of dt that it dropped [s]. */
    advanced: number;
    dropped: number;
    substeps: number;
    /** Why it could not do all that it was asked to; empty most of the time. */
    flags: ("time_cut" | "not_converged" | "capacity_full" | "clamped" | "compressed")[];
}

/**
 * Values of a solver, without a copy: `values` looks into the memory of the module. It is valid until the next call of
 * step, load, createWorld or destroy, which may move memory; ask for it again each frame, which costs next to nothing.
 */
export interface View {
    /** Value (i, j, k) is values[i + row * j + slab * k]. null: the solver was created without this. */
    values: Float32Array | Uint32Array | Uint8Array | null;
    nx: number;
    ny: number;
    nz: number;
    row: number;
    slab: number;
    /** Position of value (0, 0, 0) and distance between values [m]; 0 for particles. Heights are relative to origin[1]. */
    origin: [number, number, number];
    dx: number;
}

export interface SolverInfo {
    readonly name: string;
    /** "wave", "shallow", "pipes", "liquid", "particles", "gas" ... */
    readonly kind: string;
    /** Names for World.view. wave: height, bed_depth. shallow: depth, ground, velocity_x, velocity_z. liquid: x, y, z, vx ... */
    readonly views: readonly string[];
}

/** A body now. The arrays look into the memory of the module, as those of View. */
export interface Body {
    position: Float32Array;
    /** x, y, z, w */
    rotation: Float32Array;
    velocity: Float32Array;
    angularVelocity: Float32Array;
    shape: "sphere" | "box" | "capsule" | "cylinder" | "hull" | "other" | "point" | "line" | "disc";
    /** sphere: radius. box: half extents. capsule, cylinder: radius, half length along y. */
    size: Float32Array;
}

export interface SurfaceOptions {
    /** Name or index of a solver. Default: the first that has a surface. */
    solver?: string | number | null;
    /** What to sample. Default: height only. */
    height?: boolean;
    depth?: boolean;
    normal?: boolean;
    velocity?: boolean;
}

/** Arrays look into the memory of the module, until the next call on this world. Three numbers per point for vectors. */
export interface SurfaceSamples {
    height: Float32Array | null;
    depth: Float32Array | null;
    normal: Float32Array | null;
    velocity: Float32Array | null;
}

export interface World {
    readonly title: string;
    /** Simulated so far [s]. */
    readonly time: number;
    /** Length of a step as the scene says [s]. */
    readonly dt: number;
    /** Hash of the whole state, 16 hexadecimal digits. The same on every machine, for any number of threads. */
    readonly hash: string;
    readonly solvers: readonly SolverInfo[];
    /** Advances by dt [s], 0 to 10; by World.dt if it is left out. */
    step(dt?: number): StepReport;
    view(solver: string | number, name: string): View;
    /** Samples the water surface at points x0, z0, x1, z1 ... [m], equal to what is drawn. */
    surface(points: ArrayLike<number>, options?: SurfaceOptions): SurfaceSamples;
    /** Height y of the water at a point [m]. */
    surfaceHeight(x: number, z: number, solver?: string | number | null): number;
    /** Adds (or removes, negative) a volume of water [m^3] over a disc. Returns the volume that went in. */
    pour(x: number, z: number, radius: number, volume: number, solver?: string | number | null): number;
    bodies(): Body[];
    /** A snapshot, and back: the same futures to the bit. */
    save(): Uint8Array;
    load(snapshot: Uint8Array): void;
    /** Frees the memory. Calls after that throw. */
    destroy(): void;
}
