import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../cli/testing/run-cli.ts'
import { readLoadDocument, runSegments } from '../cli/testing/run-segments.ts'
import { findTestK6 } from '../cli/testing/test-k6.ts'
import { serveHttp } from '../common/testing/local-server.ts'
import { startEmulator } from '../emulator/start-emulator.ts'

const SLOW_TEST_MS = 600_000

/**
 * Starts a gateway that forwards requests to a server. It adds the milliseconds in the request header `x-clock` to the
 * time in the header `date` of the response. To a load generator, this looks as if its own clock were slow.
 */
function serveClocks(url: string) {
  return serveHttp((incoming, response) => {
    const { method, headers, url: path } = incoming
    const outgoing = request(url + path, { method, headers }, (from) => {
      const date = new Date(Date.now() + Number(headers['x-clock'] ?? 0)).toUTCString()
      response.writeHead(from.statusCode ?? 502, { ...from.headers, date })
      from.pipe(response)
    })
    incoming.pipe(outgoing)
  })
}

test.for([
  [0, 'within-budgets'],
  [2000, 'incomplete'],
] as const)(
  'a run on machines whose clocks differ by %d ms is %s',
  { timeout: SLOW_TEST_MS },
  async ([differenceMs, verdict], context) => {
    const k6 = await findTestK6()
    context.skip('problem' in k6, 'problem' in k6 ? k6.problem : '')
    await using emulator = await startEmulator()
    await using clocks = await serveClocks(emulator.url)
    const { directory } = await runSegments({
      target: clocks.url,
      getKey: () => emulator.keys.funded,
      env: { TOUCHSTONE_K6: 'path' in k6 ? k6.path : '' },
      count: 2,
      argumentsOf: (index) => ['--no-calibration', '--header', `x-clock: ${index * differenceMs}`],
    })
    const files = [1, 2].map((part) => join(directory, `load-chat-stream-${part}-of-2.json`))
    await runCli(['report', 'merge', ...files, '--out', directory])
    const merged = await readLoadDocument(join(directory, 'load-chat-stream.json'))
    expect(merged.verdict).toBe(verdict)
    const expected = differenceMs === 0 ? [] : ['segment-clocks-differ']
    expect(merged.findings.map(({ code }) => code)).toEqual(expected)
  },
)
