import { beforeAll, describe, expect, test } from 'vitest'
import { type CliResult, runCliInSharedProcess } from './testing/run-cli.ts'

/**
 * Maximum number of requests that the suite adds on a busy machine: it repeats streams whose events it read together, and
 * control requests that are a minute old.
 */
const REPEATED_REQUESTS = 20

describe('the whole suite against the emulator that it starts', () => {
  let run: CliResult

  beforeAll(async () => {
    run = await runCliInSharedProcess(['conformance', '--strict'])
  })

  test('the built-in emulator conforms, with evidence for every check', () => {
    const others = run.document?.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'observed') ?? []
    // On a busy machine, the suite may read several events at once although they arrived one by one. The check is then
    // not testable.
    const isBusy = others.some(({ id, verdict }) => id === '4.2/stream-progress' && verdict === 'not-testable')
    expect(others.filter(({ id }) => !isBusy || id !== '4.2/stream-progress')).toEqual([])
    expect(run).toMatchObject({
      exitCode: isBusy ? 3 : 0,
      stdout: expect.stringMatching(isBusy ? /^INCOMPLETE \(strict/ : /^CONFORMANT \(strict\)/),
    })
    // Removes the progress lines, which the command prints only on a busy machine.
    expect(run.stderr.replaceAll(/^(The run takes|\d+ of \d+ checks) .*\n?/gm, '')).toBe('')
  })

  test('a run of the whole suite sends about 500 requests, for at most 25 credits', () => {
    expect(run.document?.spent.requests).toBeLessThanOrEqual(500 + REPEATED_REQUESTS)
    expect(run.document?.spent.creditsUpperBound).toBeLessThanOrEqual(25)
  })

  test('a run of the whole suite sends and spends no more than the estimate', async () => {
    const estimate = await runCliInSharedProcess(['conformance', '--dry-run'])
    const [, requests, credits] =
      /Upper bound for \d+ checks?: (\d+) requests and ([\d.]+) credits/.exec(estimate.stdout) ?? []
    expect(run.document?.spent.requests).toBeLessThanOrEqual(Number(requests))
    expect(run.document?.spent.creditsUpperBound).toBeLessThanOrEqual(Number(credits))
    expect(run.document?.spent.creditsUpperBound).toBeGreaterThan(run.document?.spent.creditsKnown ?? 0)
  })
})
