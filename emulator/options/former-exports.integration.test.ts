import { expect, test } from 'vitest'
import { DECISIONS, OPTION_READERS, readDecision, readOptions } from '../warm-emulator.ts'

test('exports the options for unspecified behaviour with the field names of version 0.1', () => {
  expect(DECISIONS['error-body']).toMatchObject({ kind: 'choice', byDefault: 'sdk' })
  expect(Object.keys(DECISIONS['error-body'].choices)).toContain('detail')
  expect(DECISIONS['most-n']).toMatchObject({ kind: 'limit', byDefault: 10, least: 1, most: 1000 })
  for (const { about, why, byDefault } of Object.values(DECISIONS)) {
    expect([about, why, byDefault]).not.toContain(undefined)
  }
  expect(readDecision('most-n', '4')).toEqual({ 'most-n': 4 })
})

test('exports parsers of options that return an error message for an invalid value', () => {
  const { port, strictFixtures, fault } = OPTION_READERS
  expect(port).toMatchObject({ flag: '--port <number>', about: expect.stringContaining('port') })
  expect(port?.read('8099')).toEqual({ port: 8099 })
  expect(port?.read('x')).toBe('It must be an integer from 0 to 65535.')
  expect(strictFixtures?.flag).toBe('--strict-fixtures')
  expect(fault?.isRepeatable).toBe(true)
  expect(fault?.read(['times=2,status=500'])).toEqual({ faults: [{ times: 2, status: 500 }] })
  expect(OPTION_READERS['faults']?.read('/nonexistent/faults.json')).toBe(
    'The file /nonexistent/faults.json cannot be read (ENOENT). Check the path.',
  )
})

test('reads options without throwing, as in version 0.1', () => {
  expect(readOptions([['seed', '7']])).toEqual({ seed: 7 })
  expect(readOptions([['seed', 'x']])).toBe(
    `Invalid option 'seed': "x". It must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}.`,
  )
  expect(readOptions([['sead', '7']])).toMatch(/^There is no option 'sead'\./)
})
