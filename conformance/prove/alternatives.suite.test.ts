import { describe, expect, test } from 'vitest'
import {
  BEHAVIOUR_OPTIONS,
  parseBehaviourOption,
  startEmulator,
  type BehaviourOptions,
} from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { EMBEDDED_EMULATOR } from '../targets/embedded-emulator.ts'

/** Timeout of a test in milliseconds. Each test runs the whole suite, and several tests run in parallel. */
const TIMEOUT_MS = 600_000

/**
 * Values of options that have no list of choices. Each differs from the default as much as the specification permits.
 */
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
  'auto-tool-calls': '100',
  'most-json-bytes': '100000',
  'most-json-depth': '16',
  'tokens-per-chunk': '7',
  'heartbeat-ms': '10',
  'padding-bytes': '70000',
  'reasoning-tokens': '8',
  capabilities: 'images:vendorc-4o;transcriptions:vendorb-sonnet-4-20250514;speech:o3-mini',
}

/** All pairs of an option and a value other than its default. */
const ALTERNATIVES = Object.entries(BEHAVIOUR_OPTIONS).flatMap(([id, row]) => {
  const values = row.kind === 'choice' ? Object.keys(row.choices) : [FAR_VALUES[id] ?? '']
  return values.filter((value) => value !== row.default).map((value) => [id, value] as const)
})

/** Declarations that are valid for every combination of emulator options. */
const { balance, smallBalance } = EMBEDDED_EMULATOR.declarations
const DECLARATIONS = { ...(balance && { balance }), ...(smallBalance && { smallBalance }) }

/**
 * Fault that sends the events of streams one by one. The interval is long enough to be measured while other runs share
 * the machine.
 */
const PACED = 'operation=chat,itlMs=10'

async function run(options: Partial<BehaviourOptions>) {
  await using emulator = await startEmulator({ options, faults: [PACED] })
  const { funded, noCredits, limited, small } = emulator.keys
  const keys = { funded, noCredits, limited, small }
  const { document, exitCode } = await runConformance({ url: emulator.url, keys, declarations: DECLARATIONS })
  const bad = document.checks.filter(
    ({ id, verdict }) =>
      ['fail', 'error'].includes(verdict) || (verdict === 'not-testable' && !Object.hasOwn(NOT_TESTABLE_REASONS, id)),
  )
  return { exitCode, bad: bad.map(({ id, verdict, actual }) => `${id}: ${verdict}, ${actual}`) }
}

/** Checks that are not testable with some options, with the reasons. */
const NOT_TESTABLE_REASONS: Readonly<Record<string, string>> = {
  '4.2/max-tokens-bound-stream': 'plain-text streams have neither usage nor text that the suite can count',
  '8/max-tokens-default-stream': 'plain-text streams have neither usage nor text that the suite can count',
  '4.2/stream-text': 'plain-text streams have no deltas whose text the suite can compare',
  '4.2/stream-time-out': 'the suite cannot recognize the end of a plain-text stream',
  '4.2/stream-progress':
    'several runs share this process, which then reads events together although they arrived one by one',
}

function parseOption(id: string, value: string): Partial<BehaviourOptions> {
  const parsed = parseBehaviourOption(id, value)
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}

function parseOptions(choices: ReadonlyMap<string, string>): Partial<BehaviourOptions> {
  return Object.assign({}, ...[...choices].map(([id, value]) => parseOption(id, value))) as Partial<BehaviourOptions>
}

const VALUES = Map.groupBy(ALTERNATIVES, ([id]) => id)
const MAX_VALUES = Math.max(...[...VALUES.values()].map((values) => values.length))

/**
 * Option values of a few runs that together use every alternative at least once. In each run, half of the options keep
 * their defaults, because a value of one option can make the check of another option not testable.
 */
const COMBINED = Array.from({ length: 2 * MAX_VALUES }, (_, run) => {
  const changed = [...VALUES.values()].filter((_values, index) => index % 2 === run % 2)
  return new Map(changed.map((values) => values[Math.floor(run / 2) % values.length] ?? ['', '']))
})

describe.concurrent('the suite passes against the emulator', { timeout: TIMEOUT_MS }, () => {
  test.each(COMBINED.map((choices, index) => [index + 1, choices] as const))(
    'the suite passes with combination %i of alternative options',
    async (_number, choices) => {
      expect(await run(parseOptions(choices))).toEqual({ exitCode: 0, bad: [] })
    },
  )

  test('the tested combinations include every alternative of every option', () => {
    const created = COMBINED.flatMap((choices) => [...choices].map((choice) => choice.join(' = ')))
    expect([...new Set(created)].toSorted()).toEqual(ALTERNATIVES.map((choice) => choice.join(' = ')).toSorted())
  })

  test('the suite passes with the last alternative of every option', async () => {
    const last = new Map(ALTERNATIVES) // The last alternative of each option overwrites the others.
    last.delete('reasoning') // A stream of plain text does not show which of its tokens are reasoning.
    expect(await run(parseOptions(last))).toEqual({ exitCode: 0, bad: [] })
  })

  // These are about sixty runs of the whole suite, so only the nightly tier includes them.
  test.each(process.env['TOUCHSTONE_LONG'] === '1' ? ALTERNATIVES : [])(
    'the suite passes with %s = %s',
    async (id, value) => {
      expect(await run(parseOption(id, value))).toEqual({ exitCode: 0, bad: [] })
    },
  )
})
