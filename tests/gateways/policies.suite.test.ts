import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { GATEWAY_MUTANTS } from '../../conformance/prove/gateways/gateway-mutants.ts'
import { startGateway } from '../../conformance/prove/gateways/start-gateway.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { runCliInSharedProcess } from '../../cli/testing/run-cli.ts'

const env = { TOUCHSTONE_KEY: 'sk-svc-client-0123456789abcdef' }

test('init records the policies of a gateway, and a later run reports a change', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-gateway-'))
  const file = join(directory, 'gateway.json')
  const emulator = await startEmulator()
  const upstreamKey = emulator.keys.funded
  const gateway = await startGateway(emulator.url, { upstreamKey })
  const mutant = GATEWAY_MUTANTS.find(({ id }) => id === 'gateway/reasoning-dropped')
  if (mutant === undefined) throw new Error('There is no such mutant.')
  const changed = await startGateway(emulator.url, { upstreamKey, createMiddleware: mutant.createMiddleware })
  onTestFinished(async () => {
    await Promise.all([gateway.close(), changed.close(), emulator.close()])
    await rm(directory, { recursive: true })
  })

  const upstream = ['--upstream', emulator.url]
  const init = await runCliInSharedProcess(['init', '--target', gateway.url, ...upstream, '--file', file], { env })
  expect(init.exitCode).toBe(0)
  const text = await readFile(file, 'utf8')
  const reasoning = { streams: 'forwarded', 'complete responses': 'forwarded' }
  expect(JSON.parse(text)).toMatchObject({ policies: { 'gateway/reasoning': reasoning } })

  const run = ['conformance', '--target', file, ...upstream, '--only', 'gateway/reasoning,gateway/cache']
  const same = await runCliInSharedProcess(run, { env })
  expect([same.exitCode, same.document?.gateway?.summary]).toMatchObject([0, { pass: 2 }])
  await writeFile(file, text.replace(gateway.url, changed.url))
  const later = await runCliInSharedProcess(run, { env })
  expect([later.exitCode, later.document?.gateway?.summary]).toMatchObject([1, { pass: 1, fail: 1 }])
})
