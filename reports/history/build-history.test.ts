import { expect, test } from 'vitest'
import type { ConformanceDocument } from '../conformance-document.ts'
import { renderHistoryPage } from '../html/history/render-history-page.ts'
import { createBoth, createGatewayOnly } from '../testing/gateway-results.ts'
import { createCheckEntry, createDocument } from '../testing/sample-document.ts'
import { createLoadDocument } from '../testing/sample-load.ts'
import { buildHistories } from './build-history.ts'

const FAILED = createDocument({ checks: [createCheckEntry('4.1/list', 'fail'), createCheckEntry('4.2/a', 'pass')] })
const partial: ConformanceDocument = { ...FAILED, strict: true, selection: { only: ['4.1'], skip: ['5'] } }

test('keeps partial runs apart from full runs of the same target, and describes each run', () => {
  const histories = buildHistories([FAILED, partial, { ...FAILED, selection: { only: [], skip: [] } }])
  expect(histories.map(({ title, runs }) => [title, runs.map(({ kind }) => kind)])).toEqual([
    ['Conformance of http://127.0.0.1:8080', ['full', 'full']],
    ['Conformance of http://127.0.0.1:8080, partial runs', ['--only 4.1 --skip 5 --strict']],
  ])
})

test('the suite for gateways has a history of its own', () => {
  const titles = [
    'Conformance of https://api.example.com',
    'Gateway https://api.example.com in front of http://127.0.0.1:9100',
  ]
  const histories = buildHistories([createBoth()])
  expect(histories.map(({ title, runs }) => [title, runs[0]?.verdict])).toEqual([
    [titles[0], 'conformant'],
    [titles[1], 'non-conformant'],
  ])
  expect(buildHistories([createGatewayOnly()]).map(({ title }) => title)).toEqual([titles[1]])
})

test('states the most important cause of a verdict, and nothing for a run that conformed', () => {
  const reasonOf = (document: ConformanceDocument) => buildHistories([document])[0]?.runs[0]?.reason
  expect(reasonOf(FAILED)).toBe(FAILED.causes[0]?.title)
  expect(reasonOf({ ...FAILED, causes: [...FAILED.causes, ...FAILED.causes] })).toMatch(/ \(and 1 other cause\)$/)
  expect(reasonOf(createDocument({ checks: [], verdict: 'conformant' }))).toBe('')
  const down = { ...FAILED, verdict: 'incomplete' as const, target: { ...FAILED.target, problem: 'It is down.' } }
  expect(reasonOf(down)).toBe('Nothing was tested: It is down.')
})

test('keeps searches and segments of a load apart, and states the profile and the reason', () => {
  const document = createLoadDocument()
  const segment = { ...document, segment: { index: 0, count: 2 } }
  const histories = buildHistories([document, segment])
  expect(histories).toHaveLength(2)
  expect(histories[1]?.title).toMatch(/, single segments$/)
  expect(histories[0]?.runs[0]).toMatchObject({
    kind: `${document.profile}, ${document.arrivals}`,
    durationMs: document.durationMs,
    reason: expect.stringContaining('The run exceeded'),
  })
})

test('the page has the time, the duration, the kind and the reason of each run', () => {
  const later = { ...partial, startedAt: '2026-01-01T09:30:00.000Z' }
  const page = renderHistoryPage(buildHistories([partial, later]), 'touchstone')
  for (const text of ['2026-01-01 09:30 UTC', '1.5 s', '--only 4.1', FAILED.causes[0]?.title])
    expect(page).toContain(text)
})
