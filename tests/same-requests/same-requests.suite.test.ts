import { describe, expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { EMBEDDED_EMULATOR } from '../../conformance/targets/embedded-emulator.ts'
import { getInputCount } from '../../conformance/testing/generated-inputs.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { createSeededRandom } from '../../emulator/state/seeded-random.ts'
import { startRecordingProxy } from './recording-proxy.ts'
import { CONSTANT_TARGETS, type ConstantTarget } from './targets.ts'

const IS_NIGHTLY = getInputCount(1) > 1
const MAX_DELAY_MS = 60
const RUNS = IS_NIGHTLY ? 3 : 2

/** Requirement of the checks that measure times. They send further requests until their measurement is clear. */
const TIMED_REQUIREMENT = '4.2/stream-pace'

/** Runs the suite against a target that delays each response by a random time. Returns the requests of the run. */
async function runWithDelays(target: ConstantTarget, seed: number) {
  await using emulator = await startEmulator({ options: EMBEDDED_EMULATOR.options })
  const random = createSeededRandom(seed, 'delays', 0)
  await using proxy = await startRecordingProxy(emulator.url, target.choose, () => random.integerBelow(MAX_DELAY_MS))
  const { funded, noCredits } = emulator.keys
  const only = IS_NIGHTLY ? [] : (target.everydayChecks ?? [])
  const { document } = await runConformance({
    url: proxy.url,
    keys: { funded, noCredits },
    declarations: EMBEDDED_EMULATOR.declarations,
    only,
    skip: [TIMED_REQUIREMENT],
    nonceSeed: 'same',
    ...(target.timeoutMs === undefined ? {} : { timeoutMs: target.timeoutMs }),
  })
  const { requests, creditsUpperBound } = document.spent
  return { sent: proxy.listRequests(), requests, creditsUpperBound }
}

/** Counts the requests that only one of two runs sent. */
function listDifferences(one: readonly string[], other: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const request of one) counts.set(request, (counts.get(request) ?? 0) + 1)
  for (const request of other) counts.set(request, (counts.get(request) ?? 0) - 1)
  return [...counts].filter(([, count]) => count !== 0).map(([request, count]) => `${count} × ${request}`)
}

// Two keys are missing, because a rate limit and an account whose credits run out do not always respond alike.
describe.concurrent('sends the same requests in every run, whatever the response times, to a target that', () => {
  const targets = CONSTANT_TARGETS.filter(({ everydayChecks }) => IS_NIGHTLY || everydayChecks !== undefined)
  test.each(targets)('$name', async (target) => {
    const seeds = Array.from({ length: RUNS }, (_, index) => index + 1)
    const [first, ...others] = IS_NIGHTLY
      ? await runInOrder(target, seeds)
      : await Promise.all(seeds.map((seed) => runWithDelays(target, seed)))
    if (first === undefined) throw new Error('there was no run')
    for (const other of others) {
      expect(listDifferences(first.sent, other.sent)).toEqual([])
      expect(other).toEqual(first)
    }
    expect(first.sent.length).toBeGreaterThan(50)
  })
})

async function runInOrder(target: ConstantTarget, seeds: readonly number[]) {
  const runs: Awaited<ReturnType<typeof runWithDelays>>[] = []
  for (const seed of seeds) runs.push(await runWithDelays(target, seed))
  return runs
}
