import { expect, test } from 'vitest'
import { CHECKS } from '../../sections/checks.ts'
import { type Check, defineCheck } from '../../engine/check.ts'
import * as outcome from '../../findings/expect.ts'
import { REVIEWED_PASSES } from './reviewed-passes.ts'
import { runNoEvidenceTargets } from './run-no-evidence-targets.ts'
import { NO_EVIDENCE_TARGETS } from './no-evidence-targets.ts'

test('reports a check that passes without evidence', async () => {
  const withoutEvidence: Check = defineCheck({
    id: '4.2/temperature-lowest',
    requirement: '4.2/temperature-range',
    title: 'accepts a temperature of 0',
    operation: 'chat',
    needs: [],
    cost: { requests: 1 },
    run: async ({ chat }) =>
      (await chat({ temperature: 0 })).status < 300
        ? outcome.pass(outcome.EXPECT_SUCCESS)
        : outcome.markNotTestable({ code: 'no-evidence', params: { missing: 'result' } }),
  })
  const results = await runNoEvidenceTargets([withoutEvidence])
  const unexpected = results
    .filter((result) => result.unexpected.includes(withoutEvidence.id))
    .map(({ target }) => target)
  expect(unexpected).toEqual(
    expect.arrayContaining(['web-page', 'empty-object', 'health', 'empty-200', 'no-content', 'no-events', 'no-usage']),
  )
  expect(unexpected).not.toContain('all-400')
})

test('reports a reviewed pass that no longer occurs', async () => {
  const [first] = REVIEWED_PASSES
  const id = first?.checks[0] ?? ''
  const careful = CHECKS.find((check) => check.id === id)
  expect(careful).toBeDefined()
  const never = defineCheck({
    id,
    requirement: '7/statuses',
    title: 'never passes',
    operation: 'models',
    needs: [],
    cost: { requests: 0 },
    run: async () => outcome.markNotTestable({ code: 'no-evidence', params: { missing: 'request' } }),
  })
  const results = await runNoEvidenceTargets([never])
  expect(results.filter(({ outdated }) => outdated.includes(id)).map(({ target }) => target)).toEqual(
    NO_EVIDENCE_TARGETS.map(({ name }) => name).filter((name) => first?.targets.includes(name) === true),
  )
})

test('every reviewed pass names existing checks and targets, and a reason', () => {
  const ids = new Set(CHECKS.map(({ id }) => id))
  const names = new Set(NO_EVIDENCE_TARGETS.map(({ name }) => name))
  expect(REVIEWED_PASSES.flatMap(({ checks }) => checks).filter((id) => !ids.has(id))).toEqual([])
  expect(REVIEWED_PASSES.flatMap(({ targets }) => targets).filter((name) => !names.has(name))).toEqual([])
  expect(REVIEWED_PASSES.filter(({ reason }) => reason.length < 20)).toEqual([])
})
