import { expect, test } from 'vitest'
import { CHECKS } from '../sections/checks.ts'
import { MUTANTS, prove, InvalidOptionError } from './prove.ts'
import { FATAL_MUTANT } from './testing/fatal-mutant.ts'
import { HARMLESS_MUTANT } from './testing/harmless-mutant.ts'

const TIMEOUT_MS = 600_000

/** One mutant of each kind. A CI job tests all mutants with `npm run prove`. */
const SAMPLE = [
  '1/no-role-for-sdk', // This mutant requires the checks of the SDK.
  '4.2/name-in-each-delta', // This mutant requires the checks of the group `agents`.
  '8/prompt-free', // This mutant sets an emulator option.
  '7/no-retry-after', // This mutant requires a burst.
]

test('the expected checks catch each mutant and no other check fails', { timeout: TIMEOUT_MS }, async () => {
  const progress: number[] = []
  const document = await prove({ only: SAMPLE, onProgress: ({ done }) => progress.push(done) })
  // The test compares failures first, because they explain an unexpected verdict.
  expect(document.failingWithout).toEqual([])
  expect(document.mutants.filter(({ shortfalls }) => shortfalls.length > 0)).toEqual([])
  expect(document.verdict).toBe('proven')
  expect(document.mutants.map(({ id }) => id).toSorted()).toEqual(SAMPLE.toSorted())
  expect(document.checks.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id))
  expect([...new Set(document.checks.flatMap(({ caught }) => caught))].toSorted()).toEqual(SAMPLE.toSorted())
  expect(progress).toEqual(SAMPLE.map((_, index) => index + 1))
})

test('runs the whole suite against a mutant with `full`', { timeout: TIMEOUT_MS }, async () => {
  const { full, mutants } = await prove({ only: ['2.4/relative-address'], full: true })
  expect(full).toBe(true)
  expect(mutants[0]?.kills).toContain('2.4/url-address')
  // Ignores this check: on a busy machine, only one of the two runs may contain streams that are long enough to
  // evaluate.
  expect(mutants[0]?.shortfalls.filter(({ check }) => check !== '4.2/stream-time-out')).toEqual([])
})

test('reports a mutant that no check catches and checks without a mutant', { timeout: TIMEOUT_MS }, async () => {
  const program = new URL('testing/harmless-mutant.ts', import.meta.url)
  const { verdict, mutants, checksWithoutMutant } = await prove({
    only: [HARMLESS_MUTANT.id],
    source: { mutants: [HARMLESS_MUTANT], workerFile: program },
  })
  expect(verdict).toBe('not-proven')
  expect(mutants[0]).toMatchObject({
    kills: [],
    shortfalls: [
      {
        check: '1/models-offered',
        why: 'did not notice',
        actual: expect.stringMatching(/^pass: returned 200 \(as-expected \{.*"actualStatus":200.*\}\)$/),
      },
    ],
  })
  expect(checksWithoutMutant).toHaveLength(CHECKS.length - 1)
})

test('rejects instead of hanging if a thread exits', { timeout: TIMEOUT_MS }, async () => {
  const program = new URL('testing/fatal-mutant.ts', import.meta.url)
  const proof = prove({ only: [FATAL_MUTANT.id], source: { mutants: [FATAL_MUTANT], workerFile: program } })
  await expect(proof).rejects.toThrow('a worker thread of prove failed: out of order')
})

test('returns its results immediately if it is aborted during a run', { timeout: TIMEOUT_MS }, async () => {
  const interruption = new AbortController()
  const only = MUTANTS.map(({ id }) => id).filter((id) => id.startsWith('2.1/'))
  const document = await prove({ only, signal: interruption.signal, onProgress: () => interruption.abort() })
  expect(document.verdict).toBe('interrupted')
  expect(document.mutants.length).toBeLessThan(only.length)
})

test('starts no run if it is aborted before', { timeout: TIMEOUT_MS }, async () => {
  const { verdict, mutants } = await prove({ signal: AbortSignal.abort() })
  expect({ verdict, mutants }).toEqual({ verdict: 'interrupted', mutants: [] })
})

test('rejects an unknown mutant', async () => {
  await expect(prove({ only: ['1/nothing'] })).rejects.toThrow(InvalidOptionError)
  await expect(prove({ only: ['1/nothing'] })).rejects.toThrow('No mutant has the ID "1/nothing"')
})
