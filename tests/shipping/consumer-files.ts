/** Programs that use the package, keyed by the entry point that they import, with their expected output. */
export const CONSUMER_PROGRAMS = {
  'touchstone/emulator': {
    prints: '[200,200,true]',
    program: `
    import { startEmulator } from 'touchstone/emulator'
    const emulator = await startEmulator({ seed: 7 })
    const response = await fetch(emulator.url + '/v1/models', { headers: { authorization: 'Bearer ' + emulator.keys.funded } })
    const page = await fetch(emulator.url + '/__emulator/')
    console.log(JSON.stringify([response.status, page.status, /<script[^>]*>\\s*\\S/.test(await page.text())]))
    await emulator.close()`,
  },
  'touchstone/emulator/in-process': {
    prints: '[402]',
    program: `
    import { createEmulator } from 'touchstone/emulator/in-process'
    const emulator = createEmulator()
    const { key } = emulator.createAccount({ credits: '0' })
    const response = await emulator.fetch('http://anywhere.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    console.log(JSON.stringify([response.status]))
    await emulator.close()`,
  },
  'touchstone/conformance': {
    prints: '[0,0,true]',
    program: `
    import { runConformance } from 'touchstone/conformance'
    import { startEmulator } from 'touchstone/emulator'
    const emulator = await startEmulator()
    const { funded, noCredits } = emulator.keys
    const options = { url: emulator.url, keys: { funded, noCredits }, only: ['5'], acceptIncomplete: true }
    const { document, exitCode } = await runConformance(options)
    console.log(JSON.stringify([exitCode, document.summary.fail, document.summary.pass > 5]))
    await emulator.close()`,
  },
} as const

/** A CommonJS program that requires every entry point that works without a test runner, and its expected output. */
export const COMMONJS_PROGRAM = {
  prints: '[200,402,0,["error-body"]]',
  program: `
    const { startEmulator, BEHAVIOUR_OPTIONS } = require('touchstone/emulator')
    const { createEmulator } = require('touchstone/emulator/in-process')
    const { runConformance } = require('touchstone/conformance')
    async function main() {
      const emulator = await startEmulator({ seed: 7 })
      const { funded } = emulator.keys
      const models = await fetch(emulator.url + '/v1/models', { headers: { authorization: 'Bearer ' + funded } })
      const { exitCode } = await runConformance({ url: emulator.url, keys: { funded }, only: ['4.1'], acceptIncomplete: true })
      await emulator.close()
      const own = createEmulator()
      const { key } = own.createAccount({ credits: '0' })
      const chat = await own.fetch('http://anywhere.test/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Hello' }] }),
      })
      await own.close()
      console.log(JSON.stringify([models.status, chat.status, exitCode, Object.keys(BEHAVIOUR_OPTIONS).filter((id) => id === 'error-body')]))
    }
    void main()`,
} as const

/** Uses the types of the package in a CommonJS file. The line after `@ts-expect-error` must not compile. */
export const COMMONJS_TYPES_FILE = `
import emulator = require('touchstone/emulator')
import { createEmulator } from 'touchstone/emulator/in-process'
import { runConformance, type ConformanceResult } from 'touchstone/conformance'
import { TouchstoneContainer } from 'touchstone/testcontainers'

const started: Promise<emulator.Emulator> = emulator.startEmulator({ port: 0 })
const result: Promise<ConformanceResult> = runConformance({ url: 'http://127.0.0.1:1' })
createEmulator({ seed: 1 })
new TouchstoneContainer().withSeed(7)
// @ts-expect-error -- a port is a number
void emulator.startEmulator({ port: '1' })
void [started, result]
`

/**
 * A vitest file that runs the suite. The environment variable `FAULT` injects a fault into speech; `OMIT_LIMITED_KEY` omits the key
 * with the rate limit.
 */
export const SUITE_FILE = `
import { startEmulator } from 'touchstone/emulator'
import { emulatorTest } from 'touchstone/emulator/vitest'
import { conformanceTests } from 'touchstone/vitest'
import { expect } from 'vitest'

const faults = process.env['FAULT'] === undefined ? [] : [{ operation: 'speech' as const, status: 500 }]
const emulator = await startEmulator({ faults })
const { funded, noCredits, limited } = emulator.keys
const keys = { funded, noCredits, ...(process.env['OMIT_LIMITED_KEY'] === undefined ? { limited } : {}) }
conformanceTests({
  url: emulator.url,
  keys,
  only: ['4.5', '5', '7/rate-limit-exceeded', '7/breakdown-speech'],
  onDocument: ({ spent }) => console.log('sent ' + spent.requests),
})

emulatorTest({ credits: '1' })('an emulator of its own', async ({ emulator: own, key }) => {
  expect((await own.fetch('http://x.test/v1/models', { headers: { authorization: 'Bearer ' + key } })).status).toBe(200)
  expect(own).toHaveNoClientFindings()
})
`

/** Imports `touchstone/testcontainers` without starting a container, because that needs a Docker engine. */
export const CONTAINER_PROGRAM = `
import { StartedTouchstoneContainer, TouchstoneContainer } from 'touchstone/testcontainers'
import { GenericContainer } from 'testcontainers'
const container = new TouchstoneContainer('elsewhere/touchstone-emulator:1').withSeed(7).withNetworkAliases('emulator')
const failure = await container.withLatency('warp').start().catch(({ message }) => message)
console.log(JSON.stringify([container instanceof GenericContainer, typeof StartedTouchstoneContainer, failure.slice(0, 40)]))
`

/** Uses the types of every package entry. Each line after `@ts-expect-error` must not compile. */
export const TYPES_FILE = `
import { startEmulator, type Emulator } from 'touchstone/emulator'
import { createEmulator } from 'touchstone/emulator/in-process'
import { emulatorServerTest } from 'touchstone/emulator/vitest'
import { runConformance, type ConformanceResult } from 'touchstone/conformance'
import { TouchstoneContainer, type StartedTouchstoneContainer } from 'touchstone/testcontainers'
import { conformanceTests } from 'touchstone/vitest'

const emulator: Emulator = await startEmulator({ port: 0 })
const result: ConformanceResult = await runConformance({ url: emulator.url })
const code: 0 | 1 | 3 | 4 = result.exitCode
const verdict: 'conformant' | 'non-conformant' | 'incomplete' | 'harness-error' = result.document.verdict
createEmulator({ seed: 1 }).createAccount({ credits: '1', requestsPerMinute: 60, burst: 5 })
const fixtures = [{ message: 'a', text: 'b' }, { message: 'c', turn: 1, toolCalls: [{ name: 'd', arguments: { e: 1 } }] }]
createEmulator({ fixtures }).fixtures.add(fixtures)
// @ts-expect-error -- credits are text, because numbers cannot express all amounts exactly
createEmulator().createAccount({ credits: 1 })
conformanceTests({ url: 'http://127.0.0.1:1' })
emulatorServerTest({ port: 0 })('x', ({ key }) => { const text: string = key; void text })
const container = new TouchstoneContainer().withSeed(7).withOption('error-body', 'detail').withEnvironment({ A: '1' })
const started: Promise<StartedTouchstoneContainer> = container.start()
const charged: Promise<number | undefined> = started.then(async (one) => (await one.balance('x'))?.chargedUnits)
// @ts-expect-error -- there is no such choice
container.withOption('error-body', 'none of them')
// @ts-expect-error -- a port is a number
await startEmulator({ port: '1' })
void [code, verdict, charged]
`
