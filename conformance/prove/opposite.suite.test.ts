import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { CHECKS } from '../sections/checks.ts'
import { REQUIREMENTS } from '../sections/requirements.ts'
import { runConformance } from '../run-conformance.ts'
import { OPPOSITE_KEYS, startOppositeServer } from './testing/opposite-server.ts'

/** Observations that are the same for both servers, because nearly every conforming service behaves this way. */
const EQUAL_OBSERVATIONS: Readonly<Record<string, string>> = {}

async function runAgainstOpposite() {
  await using server = await startOppositeServer()
  return await runConformance({ url: server.url, keys: OPPOSITE_KEYS })
}

async function runAgainstEmulator() {
  await using emulator = await startEmulator()
  const { funded, noCredits, limited } = emulator.keys
  return await runConformance({ url: emulator.url, keys: { funded, noCredits, limited } })
}

const unspecifiedRequirements = new Set(REQUIREMENTS.filter(({ level }) => level === 'unspecified').map(({ id }) => id))

/** Returns the observations by check ID. Replaces each success status with `2xx`. */
function observations(checks: readonly CheckEntry[]): Map<string, string> {
  const observed = checks.filter(({ verdict }) => verdict === 'observed')
  return new Map(observed.map(({ id, actual }) => [id, actual.replaceAll(/returned 2\d\d/g, 'returned 2xx')]))
}

describe('a conforming server that makes the opposite choice wherever the specification allows one', () => {
  test('passes every check and differs from the emulator in every observation', async () => {
    const [opposite, emulator] = await Promise.all([runAgainstOpposite(), runAgainstEmulator()])
    const failed = opposite.document.checks.filter(({ verdict, level }) =>
      verdict === 'not-testable' ? level === 'stated' : verdict === 'fail' || verdict === 'error',
    )
    expect(failed.map(({ id, verdict, actual }) => `${id}: ${verdict}, ${actual}`)).toEqual([])
    expect(opposite.exitCode).toBe(0)

    const here = observations(opposite.document.checks)
    const there = observations(emulator.document.checks)
    const openPoints = CHECKS.filter(
      ({ requirement, declaration, group }) =>
        unspecifiedRequirements.has(requirement) && !declaration && group === undefined,
    )
    const alike = openPoints.map(({ id }) => id).filter((id) => here.get(id) === there.get(id))
    expect(alike).toEqual(Object.keys(EQUAL_OBSERVATIONS))
    expect(openPoints.map(({ id }) => id).filter((id) => !here.has(id))).toEqual([])
  })
})
