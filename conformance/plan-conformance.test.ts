import { expect, test } from 'vitest'
import { isSummaryCheck } from './engine/check.ts'
import { planConformance, runConformance } from './run-conformance.ts'

test('rejects an address that a run would reject', () => {
  expect(() => planConformance({ url: '127.0.0.1:8391' })).toThrow('is not an http or https address')
  expect(planConformance({ url: 'http://127.0.0.1:8391' }).plan.planned.length).toBeGreaterThan(300)
})

test('rejects options that select no check, before the first request', async () => {
  const url = 'http://127.0.0.1:8391'
  const run = (only: string, skip: string[] = []) => runConformance({ url, only: [only], skip })
  await expect(run('chat', ['chat'])).rejects.toThrow(
    'The options select no check (excluded by skip). Change only or skip.',
  )
})

test('lists the checks of a gateway without its upstream', () => {
  const { planned } = planConformance({ only: ['gateway/once', '1/models-offered'] }).plan
  expect(planned.map(({ check }) => check.id)).toEqual(['1/models-offered', 'gateway/once'])
})

test('sends no request for a breakdown check outside the selection', () => {
  const { watched = [] } = planConformance({ only: ['1/chat-offered'] }).plan
  expect(watched.map(({ check }) => check.id)).toContain('7/breakdown-chat')
  expect(watched.filter(({ check }) => !isSummaryCheck(check)).map(({ check }) => check.id)).toEqual([])
})
