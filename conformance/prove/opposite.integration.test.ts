import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { CHECKS } from '../checks/all.ts'
import { REQUIREMENTS } from '../requirements/all.ts'
import { runConformance } from '../run-conformance.ts'
import { OPPOSITE_KEYS, startOppositeServer } from './opposite-server.ts'

/** Observations on which a service that keeps the document can hardly choose otherwise. */
const ALIKE: Readonly<Record<string, string>> = {
  '4.2/left-stream': 'the next client is served, whatever became of the one before',
}

async function judgeOpposite() {
  await using server = await startOppositeServer()
  return await runConformance({ url: server.url, keys: OPPOSITE_KEYS, burst: true })
}

async function judgeEmulator() {
  await using emulator = await startEmulator()
  const { funded, empty, limited } = emulator.keys
  return await runConformance({ url: emulator.url, keys: { funded, noCredits: empty, limited }, burst: true })
}

const silentRows = new Set(REQUIREMENTS.filter(({ level }) => level === 'silent').map(({ id }) => id))

/** Which status of success a service gives is a choice of its own: it makes no observation another one. */
function observations(checks: readonly CheckEntry[]): Map<string, string> {
  const observed = checks.filter(({ verdict }) => verdict === 'observed')
  return new Map(observed.map(({ id, actual }) => [id, actual.replaceAll(/answered 2\d\d/g, 'answered 2xx')]))
}

describe('a conforming server that makes the opposite choice on every point left open', () => {
  test('is blamed for nothing, and does differ on each', async () => {
    const [opposite, emulator] = await Promise.all([judgeOpposite(), judgeEmulator()])
    const blamed = opposite.document.checks.filter(({ verdict, level }) =>
      verdict === 'not-testable' ? level === 'stated' : verdict === 'fail' || verdict === 'error',
    )
    expect(blamed.map(({ id, verdict, actual }) => `${id}: ${verdict}, ${actual}`)).toEqual([])
    expect(opposite.exitCode).toBe(0)

    const here = observations(opposite.document.checks)
    const there = observations(emulator.document.checks)
    const openPoints = CHECKS.filter(({ requirement, declaration }) => silentRows.has(requirement) && !declaration)
    const alike = openPoints.map(({ id }) => id).filter((id) => here.get(id) === there.get(id))
    expect(alike).toEqual(Object.keys(ALIKE))
    expect(openPoints.map(({ id }) => id).filter((id) => !here.has(id))).toEqual([])
  })
})
