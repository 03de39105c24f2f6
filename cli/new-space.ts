import { setFlagsFromString } from 'node:v8'

/**
 * Built-in modules of Node that the emulator loads. V8 rejects the compiled code that Node embeds for them if a flag
 * has changed since the process started.
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
 * Prevents V8 from enlarging its space for new objects while modules are loaded. The objects of modules survive
 * collections, so V8 would double the space to 8 MB and keep it resident, although an idle process needs less than 1
 * MB. V8 accepts cached code only from a process with the same flags, so `bin.js` gives the emulator its own cache.
 */
export function disableNewSpaceGrowth(): void {
  // Import statements would evaluate every export of these modules, including an HTTP client of several MB.
  for (const name of BUILT_IN_MODULES) process.getBuiltinModule(`node:${name}`)
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Allows V8 to enlarge the space for new objects again, because an emulator under load needs more of it. */
export function enableNewSpaceGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=2') // The default of V8.
}
