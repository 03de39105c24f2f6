import { describe, expect, test } from 'vitest'
import { parseSettings } from '../scenarios/lib/parse-settings.ts'
import { adoptResult, isLooseResult, type LooseResult } from './document-from-result.ts'
import { parseBudget } from './verdict/parse-budget.ts'
import { mergeLoads } from './merge-load.ts'
import { operation, result, times } from './testing/make-result.ts'

function loose(index: number, valuesMs: readonly number[]): LooseResult {
  const settings = parseSettings({ TOUCHSTONE_TARGET: 'http://h:1', TOUCHSTONE_RATE: '5' })
  const chat = operation(valuesMs.length, { e2eMs: valuesMs })
  return { ...result({ chat }, { segment: { index, count: 2 } }), run: { scenario: 'chat', settings } }
}

describe('results of k6 alone', () => {
  test('become documents that merge, with their budgets judged on the whole', () => {
    const budgets = [parseBudget('e2e.p90<=50ms')]
    const parts = [times(60, 10), times(40, 90)].map((valuesMs, index) => ({
      name: `part ${index}`,
      document: adoptResult(loose(index, valuesMs), budgets, '1.0.0'),
    }))
    expect(mergeLoads(parts, '1.0.0')).toMatchObject({
      scenario: 'chat',
      target: { url: 'http://h:1' },
      verdict: 'budget-broken',
      budgets: [{ metric: 'e2e', statistic: 'p90', n: 100, verdict: 'broken' }],
      requests: { sent: 100, ok: 100 },
      segment: { merged: 2 },
    })
  })

  test('are known by saying what they were, and documents are not taken for them', () => {
    const part = loose(0, [1])
    expect(isLooseResult(JSON.parse(JSON.stringify(part)))).toBe(true)
    expect(isLooseResult(adoptResult(part, [], '1.0.0'))).toBe(false)
    expect(isLooseResult(result({}))).toBe(false)
    expect(isLooseResult(null)).toBe(false)
  })

  test('claim no more than is known: no forecast, no ledger, no calibration', () => {
    expect(adoptResult(loose(0, [1]), [], '1.0.0')).toMatchObject({
      calibration: null,
      credits: { forecast: null, ledger: null },
      segment: { index: 0, count: 2 },
    })
  })
})
