import { setFlagsFromString } from 'node:v8'

/**
 * Built-in modules of Node that the emulator loads. Node embeds compiled code for them, which V8 rejects while a flag has
 * another value than at the start of the process.
 */
const BUILT_IN_MODULES = [
  'assert',
  'cluster',
  'crypto',
  'dns',
  'fs/promises',
  'http',
  'http2',
  'https',
  'perf_hooks',
] as const

/**
 * Stops V8 from enlarging its space for new objects while modules are loaded. They survive collections, so V8 would
 * double the space to 8 MB, which stay resident although an idle process needs less than 1 MB of them. Compiled code
 * is cached for one set of flags: see `bin.js`.
 */
export function holdNewSpace(): void {
  // Import statements would evaluate every export, among them an HTTP client of several MB.
  for (const name of BUILT_IN_MODULES) process.getBuiltinModule(`node:${name}`)
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Lets V8 enlarge the space for new objects as a load needs it. */
export function releaseNewSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=2') // V8's default
}
