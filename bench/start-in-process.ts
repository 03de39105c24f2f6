/** Starts two emulators in this process and tells its parent how long each call took, in milliseconds. */
const beforeMs = performance.now()
const { startEmulator } = await import('../emulator/warm-emulator.ts')
const importedMs = performance.now()
const first = await startEmulator()
const firstMs = performance.now()
const second = await startEmulator()
const secondMs = performance.now()
const times = { importMs: importedMs - beforeMs, firstCallMs: firstMs - importedMs, nextCallMs: secondMs - firstMs }
await Promise.all([first.close(), second.close()])
process.send?.(times)

/** What this tells. */
export type InProcessTimes = typeof times
