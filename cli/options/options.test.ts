import { Command } from 'commander'
import { expect, expectTypeOf, test } from 'vitest'
import { addOptions } from './add-options.ts'
import type { OptionTable, OptionValues } from '../../common/options/option-table.ts'
import { renderOptionReference } from './render-option-reference.ts'

const TABLE = {
  port: {
    flag: '--port',
    placeholder: 'number',
    type: 'integer',
    max: 65_535,
    default: 8080,
    description: 'port to listen on',
  },
  vus: { flag: '--vus', placeholder: 'n', type: 'integer', min: 1, description: 'concurrent clients' },
  rate: { flag: '--rate', placeholder: 'n', type: 'number', description: 'requests per second', env: 'TEST_RATE' },
  samples: { flag: '--samples', placeholder: 'n', type: 'number', min: 0, max: 10, description: 'samples' },
  duration: { flag: '--duration', placeholder: 'time', type: 'duration', description: 'length of the run' },
  maxCredits: { flag: '--max-credits', placeholder: 'n', type: 'credits', description: 'spend limit' },
  color: {
    flag: '--color',
    placeholder: 'name',
    type: 'choice',
    choices: ['always', 'never'],
    description: 'colors',
  },
  formats: {
    flag: '--format',
    placeholder: 'list',
    type: 'choices',
    choices: ['html', 'junit'],
    description: 'files to write',
  },
  headers: {
    flag: '--header',
    placeholder: 'line',
    type: 'string',
    repeatable: true,
    description: 'header',
    example: "'a: b|c'",
  },
  'keys.noCredits': {
    flag: '--no-credits-key',
    placeholder: 'key',
    type: 'string',
    description: 'key without credits',
  },
  calibrates: { flag: '--no-calibration', type: 'boolean', default: true, description: 'skip the calibration' },
  strict: { flag: '--strict', type: 'boolean', description: 'warnings fail' },
  segment: { flag: '--segment', placeholder: 'i/n', type: 'segment', description: 'part of the load' },
} as const satisfies OptionTable

const READERS = {
  segment: (text: string): { readonly index: number } => {
    if (!/^\d$/.test(text)) throw new Error('It must be a digit.')
    return { index: Number(text) }
  },
}

type Values = OptionValues<typeof TABLE, { readonly segment: { readonly index: number } }>

function parse(args: readonly string[]): Values {
  const command = new Command('test').exitOverride().configureOutput({ writeErr: () => undefined })
  return addOptions(command, TABLE, READERS).parse(args, { from: 'user' }).opts()
}

test('returns option values by row name, without defaults', () => {
  const args = '--port 0 --vus 3 --rate 0.5 --samples 0 --duration 1.5m --max-credits 2.50 --segment 4 --strict'.split(
    ' ',
  )
  expect(parse([...args, '--no-credits-key', 'k', '--no-calibration', '--format', 'junit, html'])).toEqual({
    port: 0,
    vus: 3,
    rate: 0.5,
    samples: 0,
    duration: 90,
    maxCredits: '2.50',
    segment: { index: 4 },
    strict: true,
    calibrates: false,
    'keys.noCredits': 'k',
    formats: ['junit', 'html'],
  })
  expect(parse([])).toEqual({ calibrates: true })
})

test('collects a repeatable option in the order in which it was given', () => {
  expect(parse(['--header', 'a: 1', '--header', 'b: 2'])).toMatchObject({ headers: ['a: 1', 'b: 2'] })
})

test('prefers a flag to the environment', () => {
  process.env['TEST_RATE'] = '7'
  try {
    expect(parse([]).rate).toBe(7)
    expect(parse(['--rate', '8']).rate).toBe(8)
  } finally {
    delete process.env['TEST_RATE']
  }
})

test.each([
  ['--port', '65536', 'It must be a whole number from 0 to 65535'],
  ['--port', '1.5', 'It must be a whole number from 0 to 65535'],
  ['--vus', '0', 'It must be a whole number of at least 1'],
  ['--vus', '2147483648', 'It must be a whole number of at least 1'],
  ['--rate', '0', 'It must be a decimal number greater than 0'],
  ['--samples', '10.5', 'It must be a decimal number of at least 0 and at most 10'],
  ['--duration', '0s', 'It must be a time greater than 0 and up to a year, such as 30s, 5m or 1h'],
  ['--duration', '5', 'It must be a time greater than 0 and up to a year, such as 30s, 5m or 1h'],
  ['--duration', '9999999999h', 'It must be a time greater than 0 and up to a year, such as 30s, 5m or 1h'],
  ['--max-credits', '0.00001', 'at most four digits after the decimal point'],
  ['--color', 'blue', 'It must be one of always, never'],
  ['--header', '--port', 'It is another option: the value is missing'],
  ['--vus', '--port', 'It is another option: the value is missing'],
  ['--format', 'pdf', 'It must be one of html, junit'],
  ['--format', 'html,pdf', '"pdf" must be one of html, junit'],
  ['--segment', 'x', 'It must be a digit'],
])('rejects %s %s: %s', (flag, value, message) => {
  expect(() => parse([flag, value])).toThrow(message)
})

test('derives the types of option values from the table', () => {
  expectTypeOf<Values['port']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<Values['color']>().toEqualTypeOf<'always' | 'never' | undefined>()
  expectTypeOf<Values['formats']>().toEqualTypeOf<readonly ('html' | 'junit')[] | undefined>()
  expectTypeOf<Values['headers']>().toEqualTypeOf<readonly string[] | undefined>()
  expectTypeOf<Values['maxCredits']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Values['segment']>().toEqualTypeOf<{ readonly index: number } | undefined>()
  expectTypeOf<Values['strict']>().toEqualTypeOf<boolean | undefined>()
})

test('shows the same choices, defaults, repetition and examples in the help and the reference', () => {
  const help = addOptions(new Command('test').configureHelp({ helpWidth: 1000 }), TABLE, READERS).helpInformation()
  expect(help).toMatch(/--port <number> +port to listen on \(default: 8080\)/)
  expect(help).toMatch(/--header <line> +header, e\.g\. 'a: b\|c' \(repeatable\)/)
  expect(help).toMatch(/--format <list> +files to write \(any of html, junit\)/)
  expect(help).toMatch(/--rate <n> +requests per second \(env: TEST_RATE\)/)
  const reference = renderOptionReference(TABLE)
  expect(reference).toContain('| `--port <number>` |  | 8080 | Port to listen on. |')
  expect(reference).toContain('| `--rate <n>` | `TEST_RATE` |  | Requests per second. |')
  expect(reference).toContain("Header. Repeatable. Example: `'a: b\\|c'`. |")
  expect(reference).toContain('Values: `always`, `never`. |')
})
