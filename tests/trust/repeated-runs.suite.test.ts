import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'

/** Bytes of all buffers that the process still uses. */
function countBufferBytes(collect: () => void): number {
  collect()
  return process.memoryUsage().arrayBuffers
}

test('a run leaves none of its large bodies in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  await using emulator = await startEmulator()
  const runSuite = () =>
    runConformance({
      url: emulator.url,
      keys: { funded: emulator.keys.funded, noCredits: emulator.keys.noCredits },
      only: ['7/large-body-chat', '7/large-body-transcriptions'],
    })
  await runSuite()
  const before = countBufferBytes(collect)
  // Each run sends at least two bodies of 2 MB.
  for (let run = 0; run < 4; run++) await runSuite()
  expect(countBufferBytes(collect) - before).toBeLessThan(8e6)
})
