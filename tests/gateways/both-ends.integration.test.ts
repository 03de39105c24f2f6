import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../common/testing/free-port.ts'
import { GATEWAY_MUTANTS } from '../../conformance/prove/gateways/gateway-mutants.ts'
import { runGateway } from '../../conformance/prove/gateways/run-gateway-mutant.ts'
import { type GatewayOptions, startGateway } from '../../conformance/prove/gateways/start-gateway.ts'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { runCliInSharedProcess } from '../../cli/testing/run-cli.ts'

const UPSTREAM_KEY = 'sk-svc-touchstone-funded'
const env = { TOUCHSTONE_KEY: 'sk-svc-client-0123456789abcdef' }

/** Starts a gateway in front of an address at which nothing listens yet. */
async function startGatewayAlone(options: GatewayOptions = {}): Promise<{ url: string; upstream: string }> {
  const upstream = `http://127.0.0.1:${await findFreePort()}`
  const gateway = await startGateway(upstream, { upstreamKey: UPSTREAM_KEY, ...options })
  onTestFinished(() => gateway.close())
  return { url: gateway.url, upstream }
}

test('starts the upstream of a gateway, and says so', async () => {
  const { url, upstream } = await startGatewayAlone()
  const only = ['--only', 'gateway/completion-text,gateway/usage']
  const run = await runCliInSharedProcess(['conformance', '--target', url, '--upstream', upstream, ...only], { env })
  expect(run.stderr).toContain(
    `Nothing listened at ${upstream}, so the run started the emulator there. Its key for the gateway is ${UPSTREAM_KEY}.`,
  )
  expect(run.stdout).toContain(
    `GATEWAY CONFORMANT (only gateway/completion-text, gateway/usage)  ${url} in front of ${upstream}`,
  )
  expect(run.exitCode).toBe(0)
  expect(run.document?.gateway?.summary).toMatchObject({ pass: 3, fail: 0 })
})

test('a finding about a gateway has exit code 1, although the target conforms to the specification', async () => {
  const mutant = GATEWAY_MUTANTS.find(({ id }) => id === 'gateway/completion-usage-doubled')
  const emulator = await startEmulator()
  const gateway = await startGateway(emulator.url, {
    upstreamKey: UPSTREAM_KEY,
    ...(mutant === undefined ? {} : { createMiddleware: mutant.createMiddleware }),
  })
  onTestFinished(async () => {
    await gateway.close()
    await emulator.close()
  })
  const only = ['--only', '4.2/temperature-above,gateway/completion-usage']
  const addresses = ['--target', gateway.url, '--upstream', emulator.url]
  const { exitCode, document } = await runCliInSharedProcess(['conformance', ...addresses, ...only], { env })
  expect([exitCode, document?.verdict, document?.gateway?.verdict]).toEqual([1, 'conformant', 'non-conformant'])
  expect(document?.gateway?.checks[0]).toMatchObject({
    verdict: 'fail',
    code: 'gateway-changed',
    params: { part: 'usage' },
    reproduce: `touchstone conformance --target '${gateway.url}' --key "$TOUCHSTONE_KEY" --upstream '${emulator.url}' --only gateway/completion-usage`,
  })
  const { fixtures } = (await (await fetch(`${emulator.url}/__emulator/fixtures`)).json()) as { fixtures: unknown[] }
  expect(fixtures).toEqual([])
})

test.each([
  ['gateway/null-dropped', { unknown: 'forwarded', null: 'dropped' }],
  [
    'gateway/unknown-parameters-dropped',
    { unknown: 'dropped: x_unknown, user, presence_penalty, frequency_penalty', null: 'forwarded' },
  ],
])('observes which parameters a gateway drops: %s', async (id, value) => {
  const mutant = GATEWAY_MUTANTS.find((one) => one.id === id)
  if (mutant === undefined) throw new Error(`There is no ${id}.`)
  const results = await runGateway(mutant, ['gateway/unknown-parameters'])
  expect(results.get('gateway/unknown-parameters')?.value).toMatchObject(value)
})

test('a selected check of a gateway needs an upstream', async () => {
  const run = await runCliInSharedProcess(['conformance', '--only', 'gateway/once'], { env: {} })
  expect([run.exitCode, run.stderr]).toEqual([
    2,
    expect.stringContaining('gateway/once needs an upstream: set --upstream'),
  ])
})

test('a target that does not forward to the upstream is not testable, and the report says what to configure', async () => {
  const [target, upstream] = [await startEmulator(), await startEmulator()]
  onTestFinished(async () => {
    await target.close()
    await upstream.close()
  })
  const addresses = ['--target', target.url, '--key', target.keys.funded, '--upstream', upstream.url]
  const run = await runCliInSharedProcess(['conformance', ...addresses, '--only', 'gateway/once'], { env: {} })
  expect(run.exitCode).toBe(3)
  expect(run.stdout).toContain(
    `did not arrive at ${upstream.url}: configure this address, a key of the emulator and the model in the gateway`,
  )
})

test('a gateway that hangs when its upstream fails is not testable, and the report says why', async () => {
  const emulator = await startEmulator()
  const gateway = await startGateway(emulator.url, {
    upstreamKey: UPSTREAM_KEY,
    createMiddleware: () => async (request, forward) => forward(request).catch(() => new Promise<never>(() => {})),
  })
  onTestFinished(async () => {
    await gateway.close()
    await emulator.close()
  })
  const addresses = ['--target', gateway.url, '--upstream', emulator.url]
  const options = ['--only', 'gateway/lost-responses', '--timeout-ms', '1000']
  const run = await runCliInSharedProcess(['conformance', ...addresses, ...options], { env })
  expect(run.exitCode).toBe(3)
  expect(run.stdout).toContain(
    'After the upstream closed the connection before its response, the gateway kept the client waiting for more than 1 s',
  )
})

test('an aborted run has no errors of the suite, and removes its fixtures', async () => {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const abort = new AbortController()
  const { document, exitCode } = await runConformance({
    url: emulator.url,
    keys: { funded: emulator.keys.funded },
    upstream: emulator.url,
    only: ['gateway'],
    signal: abort.signal,
    onProgress: ({ done }) => (done === 3 ? abort.abort() : undefined),
  })
  expect([exitCode, document.gateway?.verdict, document.gateway?.summary.error]).toEqual([3, 'incomplete', 0])
  const codes = new Set(
    document.gateway?.checks.flatMap(({ verdict, code }) => (verdict === 'not-testable' ? [code] : [])),
  )
  expect([...codes]).toEqual(['run-interrupted'])
  expect(emulator.fixtures.list()).toEqual([])
})
