import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseSettings } from '../scenarios/lib/parse-settings.ts'
import type { ExtensionResult } from '../scenarios/lib/extension-result.ts'
import { buildDocumentFromResult, isResultFile, verifyResultDigest } from './document-from-result.ts'
import { parseBudget } from './verdict/parse-budget.ts'
import { MergeError } from './check-segments.ts'
import { mergeLoads } from './merge-load.ts'
import { createOperationResult, createExtensionResult, repeatValue } from './testing/make-result.ts'

const CONTEXT = { toolVersion: '1.0.0' }

function resultFile(index: number, valuesMs: readonly number[]): ExtensionResult {
  const settings = parseSettings({ TOUCHSTONE_TARGET: 'http://h:1', TOUCHSTONE_RATE: '5' })
  const chat = createOperationResult(valuesMs.length, { e2eMs: valuesMs })
  return { ...createExtensionResult({ chat }, { segment: { index, count: 2 } }), run: { scenario: 'chat', settings } }
}

describe('result files of k6', () => {
  test('result files of k6 become documents that can be merged, with budgets evaluated on the merged run', () => {
    const budgets = [parseBudget('e2e.p90<=50ms')]
    const parts = [repeatValue(60, 10), repeatValue(40, 90)].map((valuesMs, index) => ({
      name: `part ${index}`,
      document: buildDocumentFromResult(resultFile(index, valuesMs), budgets, CONTEXT),
    }))
    expect(mergeLoads(parts, CONTEXT)).toMatchObject({
      scenario: 'chat',
      target: { url: 'http://h:1' },
      verdict: 'budget-broken',
      budgets: [{ metric: 'e2e', statistic: 'p90', n: 100, verdict: 'broken' }],
      requests: { sent: 100, ok: 100 },
      segment: { merged: 2 },
    })
  })

  test('rejects a whole run among the documents to merge', () => {
    const segment = { name: 'a', document: buildDocumentFromResult(resultFile(0, [1]), [], CONTEXT) }
    const whole = buildDocumentFromResult({ ...resultFile(0, [1]), segment: { index: 0, count: 1 } }, [], CONTEXT)
    const documents = [segment, { name: 'b', document: whole }]
    expect(() => mergeLoads(documents, CONTEXT)).toThrow('b is a whole run, not a segment.')
    expect(() => mergeLoads(documents.toReversed(), CONTEXT)).toThrow('b is a whole run, not a segment.')
    expect(mergeLoads(documents.slice(1), CONTEXT).segment).toEqual({ merged: 1 })
  })

  test('distinguishes result files of k6 from load documents', () => {
    const part = resultFile(0, [1])
    expect(isResultFile(JSON.parse(JSON.stringify(part)))).toBe(true)
    expect(isResultFile(buildDocumentFromResult(part, [], CONTEXT))).toBe(false)
    expect(isResultFile(createExtensionResult({}))).toBe(false)
    expect(isResultFile(null)).toBe(false)
  })

  test('verifies the digest of a result file', () => {
    const text = JSON.stringify(resultFile(0, [1]))
    const digest = createHash('sha256').update(text).digest('hex')
    const file = `${text.slice(0, -1)},"sha256":"${digest}"}\n`
    expect(() => verifyResultDigest('a.json', file)).not.toThrow()
    expect(() => verifyResultDigest('a.json', text)).toThrow('a.json is damaged')
    expect(() => verifyResultDigest('a.json', file.replace('"ok":1', '"ok":2'))).toThrow('a.json is damaged')
  })

  test('rejects a result whose histograms cannot be read', () => {
    const damaged = JSON.parse(JSON.stringify(resultFile(0, [1])).replace('"encoded":"', '"encoded":"A')) as unknown
    expect(() => buildDocumentFromResult(damaged, [], CONTEXT)).toThrow(MergeError)
  })

  test('rejects a document whose histogram has a different number of samples than its figure', () => {
    const document = buildDocumentFromResult(resultFile(0, [1]), [], CONTEXT)
    const damaged = JSON.parse(JSON.stringify(document).replace('"n":1', '"n":2')) as typeof document
    const merge = () => mergeLoads([{ name: 'a', document: damaged }], CONTEXT)
    expect(merge).toThrow('a is damaged: the histogram e2eMs of chat does not contain 2 samples.')
  })
})

describe('runs that did not send their plan', () => {
  const PLAN = { planned: 534, due: 534, taken: 534 }

  /** Merges a run of two segments with these settings. `changes` applies to the second segment. */
  function mergeWith(changes: Partial<ExtensionResult>, settings: Readonly<Record<string, string>>, scenario = 'chat') {
    const read = parseSettings({ TOUCHSTONE_TARGET: 'http://h:1', ...settings })
    const parts = [{}, changes].map((own, index) => ({
      ...resultFile(index, repeatValue(index === 0 ? 534 : 330, 10)),
      plan: 'TOUCHSTONE_RATE' in settings ? PLAN : null,
      run: { scenario, settings: read },
      ...own,
    }))
    const documents = parts.map((part, index) => ({
      name: `part ${index}`,
      document: buildDocumentFromResult(part, [], CONTEXT),
    }))
    const { verdict, reasons } = mergeLoads(documents, CONTEXT)
    return { parts: documents.map(({ document }) => document.verdict), verdict, reasons }
  }

  test('a document without a finding about its unsent requests is incomplete', () => {
    const [whole, stopped] = [PLAN, { ...PLAN, due: 330, taken: 330 }].map((plan, index) =>
      buildDocumentFromResult({ ...resultFile(index, repeatValue(plan.taken, 10)), plan }, [], CONTEXT),
    )
    if (whole === undefined || stopped === undefined) throw new Error('two documents')
    const old = { ...stopped, verdict: 'within-budgets' as const, reasons: [], findings: [] }
    const merge = (second: typeof old) =>
      mergeLoads(
        [whole, second].map((document, index) => ({ name: `part ${index}`, document })),
        CONTEXT,
      ).verdict
    expect(merge(old)).toBe('incomplete')
    expect(merge({ ...old, requests: { ...old.requests, sent: 534 } })).toBe('within-budgets')
    const threshold = { code: 'threshold-broken', params: { afterS: 60, ratePerSecond: 5 } }
    expect(merge({ ...old, findings: [threshold] } as typeof old)).toBe('within-budgets')
  })

  test.each([
    ['too few iterations', { TOUCHSTONE_LOAD: '{"iterations":662}' }, 'incomplete'],
    ['its duration', { TOUCHSTONE_DURATION_S: '10' }, 'within-budgets'],
  ] as const)('evaluates whether a closed loop sent its plan, with %s', (_name, settings, verdict) => {
    expect(mergeWith({}, settings).verdict).toBe(verdict)
  })
})
