import { describe, expect, test } from 'vitest'
import { DECISIONS, readDecision, startEmulator, type Decisions } from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { OWN_EMULATOR } from '../targets/own-emulator.ts'

/** Values for decisions that have no list of names: as far from the default as a legal service may go. */
const FAR_VALUES: Readonly<Record<string, string>> = {
  'least-max-tokens': '0',
  'most-max-tokens': '256',
  'most-messages': '1',
  'least-n': '0',
  'most-n': '1',
  'most-file-bytes': '100000',
  'tokens-per-image': '0',
  sizes: '300x200+640x480',
  voices: 'alloy',
  capabilities: 'images:vendorc-4o;transcriptions:vendorb-sonnet-4-20250514;speech:o3-mini',
}

/** Every decision with each of its values but the default. */
const ALTERNATIVES = Object.entries(DECISIONS).flatMap(([id, row]) => {
  const values = row.kind === 'choice' ? Object.keys(row.choices) : [FAR_VALUES[id] ?? '']
  return values.filter((value) => value !== row.default).map((value) => [id, value] as const)
})

/** What is true of the emulator whatever it decides. */
const { balance, smallBalance } = OWN_EMULATOR.declarations
const DECLARATIONS = { ...(balance && { balance }), ...(smallBalance && { smallBalance }) }

async function run(decisions: Partial<Decisions>) {
  await using emulator = await startEmulator({ decisions })
  const { funded, empty, limited, small } = emulator.keys
  const keys = { funded, noCredits: empty, limited, small }
  const { document, exitCode } = await runConformance({ url: emulator.url, keys, declarations: DECLARATIONS })
  const failed = document.checks.filter(({ verdict }) => ['fail', 'error', 'not-testable'].includes(verdict))
  return { exitCode, failed: failed.map(({ id, verdict, actual }) => `${id}: ${verdict}, ${actual}`) }
}

function decide(id: string, value: string): Partial<Decisions> {
  const decisions = readDecision(id, value)
  if (typeof decisions === 'string') throw new Error(decisions)
  return decisions
}

describe.concurrent('passes every legal choice', { timeout: 120_000 }, () => {
  test.each(ALTERNATIVES)('%s = %s', async (id, value) => {
    expect(await run(decide(id, value))).toEqual({ exitCode: 0, failed: [] })
  })

  test('nor are all the other choices together', async () => {
    const last = new Map(ALTERNATIVES) // of each decision the last alternative
    const decisions = Object.assign({}, ...[...last].map(([id, value]) => decide(id, value))) as Partial<Decisions>
    expect(await run(decisions)).toEqual({ exitCode: 0, failed: [] })
  })
})
