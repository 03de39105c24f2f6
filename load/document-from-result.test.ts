import { describe, expect, test } from 'vitest'
import { parseSettings } from '../scenarios/lib/parse-settings.ts'
import type { ExtensionResult } from '../scenarios/lib/extension-result.ts'
import { buildDocumentFromResult, isResultFile } from './document-from-result.ts'
import { parseBudget } from './verdict/parse-budget.ts'
import { mergeLoads } from './merge-load.ts'
import { makeOperationResult, makeExtensionResult, repeatValue } from './testing/make-result.ts'

const CONTEXT = { toolVersion: '1.0.0' }

function resultFile(index: number, valuesMs: readonly number[]): ExtensionResult {
  const settings = parseSettings({ TOUCHSTONE_TARGET: 'http://h:1', TOUCHSTONE_RATE: '5' })
  const chat = makeOperationResult(valuesMs.length, { e2eMs: valuesMs })
  return { ...makeExtensionResult({ chat }, { segment: { index, count: 2 } }), run: { scenario: 'chat', settings } }
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

  test('distinguishes result files of k6 from load documents', () => {
    const part = resultFile(0, [1])
    expect(isResultFile(JSON.parse(JSON.stringify(part)))).toBe(true)
    expect(isResultFile(buildDocumentFromResult(part, [], CONTEXT))).toBe(false)
    expect(isResultFile(makeExtensionResult({}))).toBe(false)
    expect(isResultFile(null)).toBe(false)
  })

  test('result files of k6 become documents without cost estimate, ledger and calibration', () => {
    expect(buildDocumentFromResult(resultFile(0, [1]), [], CONTEXT)).toMatchObject({
      calibration: null,
      credits: { forecast: null, ledger: null },
      segment: { index: 0, count: 2 },
    })
  })
})
