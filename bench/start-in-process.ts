/**
 * Child process that starts two emulators in process, and sends the duration of each start in milliseconds to the
 * parent process.
 */
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

/** Durations in milliseconds: of importing the module, and of the first and second call of `startEmulator()`. */
export type InProcessStartTimes = typeof times
