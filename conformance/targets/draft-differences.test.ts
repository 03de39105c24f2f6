import { expect, test } from 'vitest'
import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'
import { draftDifferences } from './draft-differences.ts'

const OPTIONAL = { model: 'optional', temperature: 'rejected' }
const TYPES = { speech: 'audio/mp3', models: 'text/json' }

function createCheckEntry(id: string, verdict: CheckEntry['verdict'], changes: Partial<CheckEntry>): CheckEntry {
  const row = { requirement: id, section: '4.2', level: 'stated', title: id } as const
  return { id, ...row, verdict, code: 'as-expected', params: {}, expected: [], actual: '', durationMs: 1, ...changes }
}

type Run = Pick<ConformanceDocument, 'target' | 'checks'>

/** Builds the results of a run that declares differences, and shows each of them in one check. */
function createRun(checks: readonly CheckEntry[], declared: Readonly<Record<string, unknown>> = {}): Run {
  const differences = Object.entries(declared).map(([name, value]) => ({ name, value, text: name, why: 'a test' }))
  const shown = differences.map(({ name }) => createCheckEntry(`1/${name}`, 'declared', { differences: [name] }))
  const url = 'http://127.0.0.1:8080'
  const target = { url, baseUrl: url, embedded: false, keys: {}, models: {}, differences }
  return { target, checks: [...checks, ...shown] }
}

function valuesOf(document: Run, earlier: readonly Run[] = []): object {
  return Object.fromEntries(
    Object.entries(draftDifferences(document, earlier)).map(([name, { value }]) => [name, value]),
  )
}

const contradicted = (params: CheckEntry['params'], name: string) =>
  createCheckEntry('2/fail', 'fail', { differences: [name], params })

test('drops only the parameter and the operation that a run contradicts', () => {
  const required = { operation: 'images', difference: { parameter: 'model', omitted: true }, actualStatus: 400 }
  const json = { operation: 'models', declared: 'text/json' }
  const run = createRun([contradicted(required, 'parameters'), contradicted(json, 'mediaTypes')], {
    parameters: OPTIONAL,
    mediaTypes: TYPES,
  })
  expect(valuesOf(run)).toEqual({ parameters: { temperature: 'rejected' }, mediaTypes: { speech: 'audio/mp3' } })
})

test('keeps a parameter for the operations that showed the difference', () => {
  const omitted = { parameter: 'model', omitted: true }
  const served = createCheckEntry('4.2/model', 'fail', {
    code: 'unexpected-status',
    params: { operation: 'chat', expected: { status: [400] }, difference: omitted, actualStatus: 200 },
  })
  const required = { operation: 'images', difference: omitted, actualStatus: 400 }
  const second = createRun([contradicted(required, 'parameters')], { parameters: OPTIONAL })
  expect(valuesOf(second, [createRun([served])])).toEqual({
    parameters: { 'chat.model': 'optional', temperature: 'rejected' },
  })
})

test('drops a difference if the run contradicts all of its parts', () => {
  const required = { operation: 'images', difference: { parameter: 'model', omitted: true }, actualStatus: 400 }
  expect(valuesOf(createRun([contradicted(required, 'parameters')], { parameters: { model: 'optional' } }))).toEqual({})
  const other = { operation: 'chat', difference: { parameter: 'n', value: 0 }, actualStatus: 400 }
  expect(valuesOf(createRun([contradicted(other, 'validationErrors')], { validationErrors: 422 }))).toEqual({})
})

test('finds a parameter that the target rejects even with its default', () => {
  const rejected = (value: number) =>
    createCheckEntry(`4.2/${value}`, 'fail', {
      code: 'unexpected-status',
      params: {
        operation: 'chat',
        expected: { status: ['2xx'] },
        difference: { parameter: 'temperature', value },
        actualStatus: 400,
      },
    })
  expect(valuesOf(createRun([rejected(0), rejected(1), rejected(2)]))).toEqual({
    parameters: { temperature: 'rejected' },
  })
  expect(valuesOf(createRun([rejected(0), rejected(2)]))).toEqual({})
})

test('keeps declared values of a list if all checks that need them fail because of another value', () => {
  const served = (parameter: string) =>
    createCheckEntry(`4.2/${parameter}`, 'fail', {
      code: 'unexpected-status',
      params: {
        operation: 'chat',
        expected: { status: [400] },
        difference: { parameter, value: true },
        actualStatus: 200,
      },
    })
  const { target, ...run } = createRun([served('temperature'), served('max_tokens')], {})
  const differences = [{ name: 'coercedValues', value: ['string'], text: '', why: 'a test' }]
  expect(valuesOf({ ...run, target: { ...target, differences } })).toEqual({ coercedValues: ['string', 'boolean'] })
})
