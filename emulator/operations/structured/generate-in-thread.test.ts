import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { isApiError } from '../../core/api-errors.ts'
import { ClientDisconnectedError } from '../../core/request-context.ts'
import type { RequestClient } from '../operation.ts'
import { generateInThread, MAX_WAITING } from './generate-in-thread.ts'

const nest = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'array', minItems: 1000, items: nest(levels - 1) }

const task = (schema: object, seed = 1) => ({ schema: { ...schema }, seed, maxTokens: 100 })
const createClient = (controller = new AbortController()): RequestClient & { leave(): void } => ({
  keyOwner: {},
  signal: controller.signal,
  leave: () => controller.abort(),
})
const client = createClient()
/** Task whose pattern takes years. */
const endless = task({ const: `${'a'.repeat(40)}!`, pattern: '^(a+)+$' })
const seven = task({ type: 'integer', minimum: 7, maximum: 7 })

/** Counts the threads that start until the end of the test. */
function countThreads(): () => number {
  let count = 0
  const onWorker = () => void (count += 1)
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  return () => count
}

test('rejects a schema that exceeds the time limit, and generates later values', async () => {
  const results = [
    generateInThread(endless, client, 50),
    generateInThread(seven, client),
    generateInThread(endless, client, 50),
    generateInThread(task({ type: 'boolean' }), client),
  ]
  const problem = 'takes more than 0.05 s to generate a value'
  expect(await Promise.allSettled(results)).toMatchObject([
    { status: 'rejected', reason: { message: problem } },
    { status: 'fulfilled', value: '7' },
    { status: 'rejected', reason: { message: problem } },
    { status: 'fulfilled', value: expect.stringMatching(/^(?:true|false)$/) },
  ])
})

/** A time limit that only a hang exceeds, because these schemas exceed another limit. */
const UNLIMITED_MS = 120_000
const TOO_LARGE = 'requires more than 500000 values and characters'
const LONG_PATTERN = 'has a pattern that can require more than 10000 characters'

test.each([
  ['nested arrays', nest(2), TOO_LARGE],
  ['many long texts', { type: 'array', minItems: 1000, items: { type: 'string', minLength: 1000 } }, TOO_LARGE],
  ['many long constants', { type: 'array', minItems: 1000, items: { const: ['x'.repeat(1000)] } }, TOO_LARGE],
  ['a pattern with a large quantifier', { type: 'string', pattern: '^a{1000000000}$' }, LONG_PATTERN],
  ['a pattern with nested quantifiers', { type: 'string', pattern: '^((a{99}){99}){99}$' }, LONG_PATTERN],
  [
    'a pattern with nested plus signs',
    { type: 'string', pattern: `${'('.repeat(20)}a${'+)'.repeat(20)}` },
    LONG_PATTERN,
  ],
  ['a pattern of names', { type: 'object', patternProperties: { '^a{1000000000}$': {} } }, LONG_PATTERN],
])('rejects a schema that requires a large value: %s', async (_name, schema, problem) => {
  await expect(generateInThread(task(schema), client, UNLIMITED_MS)).rejects.toThrow(problem)
})

test.each([
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$`,
  '^(?:[A-Z]{2}[0-9]{3}){20}$',
  '^[a-z]{1000}$',
  '^((([a-z]+)+)+)+$',
])('generates a value for the ordinary pattern %s', async (pattern) => {
  const long = { ...task({ type: 'string', pattern }), maxTokens: 1000 }
  const json = await generateInThread(long, client)
  expect(JSON.parse(String(json))).toMatch(new RegExp(pattern))
})

test('tries a schema again that exceeded the time limit before', async () => {
  const problem = 'takes more than 0.05 s to generate a value'
  await expect(generateInThread(endless, client, 50)).rejects.toThrow(problem)
  const threads = countThreads()
  await expect(generateInThread(endless, client, 50)).rejects.toThrow(problem)
  expect(threads()).toBe(1)
})

test('ends the task of a client that disconnects, and drops its waiting tasks', async () => {
  const [leaving, staying] = [createClient(), createClient()]
  const threads = countThreads()
  const finished: string[] = []
  const note = (name: string, generated: Promise<unknown>) =>
    generated.then(
      (value) => void finished.push(`${name}: ${String(value)}`),
      (error: unknown) => void finished.push(`${name}: ${String(error instanceof ClientDisconnectedError)}`),
    )
  await generateInThread(seven, staying)
  const started = threads()
  const running = note('running', generateInThread(endless, leaving, UNLIMITED_MS))
  const waiting = note('waiting', generateInThread(endless, leaving, UNLIMITED_MS))
  const other = note('other', generateInThread(seven, staying, UNLIMITED_MS))
  await setImmediate() // The thread starts with the first task.
  leaving.leave()
  await waiting
  expect(finished).toEqual(['waiting: true'])
  await Promise.all([running, other])
  expect(finished).toEqual(['waiting: true', 'running: true', 'other: 7'])
  expect(threads()).toBe(started + 1)
  await expect(generateInThread(seven, leaving)).rejects.toThrow(ClientDisconnectedError)
})

test('generates values for accounts in turn', async () => {
  const [first, second, third] = [createClient(), createClient(), createClient()]
  const finished: string[] = []
  const generate = (name: string, from: RequestClient) =>
    generateInThread(seven, from).then(() => void finished.push(name))
  await Promise.all([
    generate('first 1', first),
    generate('first 2', first),
    generate('first 3', first),
    generate('second 1', second),
    generate('second 2', second),
    generate('third 1', third),
  ])
  expect(finished).toEqual(['first 1', 'first 2', 'second 1', 'third 1', 'first 3', 'second 2'])
})

test('rejects a task with 429 while the maximum number of tasks of the account waits', async () => {
  const [flooding, other] = [createClient(), createClient()]
  const running = generateInThread(endless, flooding, UNLIMITED_MS)
  const waiting = Array.from({ length: MAX_WAITING }, () => generateInThread(seven, flooding))
  expect(await generateInThread(seven, flooding)).toMatchObject({ code: 'rate-limited' })
  const accepted = generateInThread(seven, other)
  flooding.leave()
  const results = await Promise.allSettled([running, ...waiting])
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  expect(isApiError(await accepted)).toBe(false)
})
