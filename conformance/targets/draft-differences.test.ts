import { expect, test } from 'vitest'
import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'
import { createCheckEntry, createDocument } from '../../reports/testing/sample-document.ts'
import { draftDifferences } from './draft-differences.ts'

const OPTIONAL = { model: 'optional', temperature: 'rejected' }
const TYPES = { speech: 'audio/mp3', models: 'text/json' }

/** Builds the document of a run that declares differences, and shows each of them in one check. */
function createRun(
  checks: readonly CheckEntry[],
  declared: Readonly<Record<string, unknown>> = {},
): ConformanceDocument {
  const differences = Object.entries(declared).map(([name, value]) => ({ name, value, text: name, why: 'a test' }))
  const shown = differences.map(({ name }) => createCheckEntry(`1/${name}`, 'declared', { differences: [name] }))
  const document = createDocument({ checks: [...checks, ...shown] })
  return { ...document, target: { ...document.target, differences } }
}

function valuesOf(document: ConformanceDocument): object {
  return Object.fromEntries(Object.entries(draftDifferences(document)).map(([name, { value }]) => [name, value]))
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

test('drops a difference without any part that the run does not contradict', () => {
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
