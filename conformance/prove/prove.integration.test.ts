import { expect, test } from 'vitest'
import { CHECKS } from '../sections/checks.ts'
import { MUTANTS, prove, InvalidOptionError } from './prove.ts'
import { FATAL_MUTANT } from './testing/fatal-mutant.ts'
import { HARMLESS_MUTANT } from './testing/harmless-mutant.ts'

const TIMEOUT_MS = 600_000

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
