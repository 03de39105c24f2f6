import { expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { createFaultHandler, startFaultyProxy } from './faulty-proxy.ts'

test.concurrent.each([
  [401, /^/],
  [402, /chat|images|audio/],
])(
  'the run ends without a failure if the funded key gets %i from the middle of the run on',
  async (status, charged) => {
    await using emulator = await startEmulator()
    const { funded, noCredits } = emulator.keys
    await using proxy = await startFaultyProxy(emulator.url, (position, { headers, url = '' }) =>
      position > 150 && headers.authorization === `Bearer ${funded}` && charged.test(url)
        ? createFaultHandler(status)
        : undefined,
    )
    const { document, exitCode } = await runConformance({ url: proxy.url, keys: { funded, noCredits } })
    expect(document.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
    expect(document.remarkFindings).toMatchObject([{ code: 'funded-key-lost', params: { actualStatus: status } }])
    expect(exitCode).toBe(3)
  },
)
