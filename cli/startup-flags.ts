import { setFlagsFromString } from 'node:v8'

/**
 * Built-in modules of Node that the emulator loads. Node embeds compiled code for them, which V8 rejects if a flag has
 * changed since the process started.
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
 * Sets V8 flags that keep the resident memory of the emulator and of the conformance suite low. V8 accepts cached code
 * only from a process with the same flags, so `bin.js` gives each of these commands its own cache.
 */
export function setStartupFlags(command: string | undefined): void {
  if (command === 'emulator') setEmulatorFlags()
  // V8 would otherwise keep up to 100 MB of garbage.
  if (command === 'conformance') setFlagsFromString('--optimize-for-size')
}

/** Sets flags for an idle emulator. */
function setEmulatorFlags(): void {
  // Import statements would evaluate every export of these modules, including an HTTP client of several MB.
  for (const name of BUILT_IN_MODULES) process.getBuiltinModule(`node:${name}`)
  // The objects of modules survive collections, so V8 would double the space for new objects to 8 MB and keep it
  // resident, although an idle process needs less than 1 MB.
  setFlagsFromString('--semi-space-growth-factor=1')
  // The code of the optimizing compiler occupies 6 MB as soon as it runs, which is too early for any function to be hot.
  setFlagsFromString('--no-turbofan')
}

/** Restores the default V8 flags, because an emulator under load needs a larger new space and optimized code. */
export function restoreDefaultFlags(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  setFlagsFromString('--turbofan')
}
