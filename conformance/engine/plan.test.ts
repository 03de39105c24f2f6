import { expect, test } from 'vitest'
import { CHECKS } from '../sections/checks.ts'
import { REQUIREMENTS } from '../sections/requirements.ts'
import { planRun } from './plan.ts'

test.each(['agents', 'sdk'] as const)('selects the checks of the group %s by its name', (group) => {
  const suite = { checks: CHECKS, requirements: REQUIREMENTS }
  const ofGroup = CHECKS.filter((check) => check.group === group).map(({ id }) => id)
  const plan = planRun(suite, { only: [group], skip: [], [group]: true })
  expect(plan.planned.map(({ check }) => check.id)).toEqual(ofGroup)
  expect(ofGroup.length).toBeGreaterThan(5)
  const others = planRun(suite, { only: [], skip: [group], sdk: true, agents: true })
  expect(others.planned.filter(({ check }) => check.group === group)).toEqual([])
})
