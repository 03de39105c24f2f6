import { expect, test } from 'vitest'
import { PREDICTED } from '../../scenarios/lib/predict-drain.ts'
import { observePredictions } from './run-checks.ts'

const ENDS = { name: 'an account that is spent is refused with 402', passes: 1, fails: 0 }
const oracleOf = (...checks: readonly { name: string; passes: number; fails: number }[]) => ({
  streams: 0,
  violations: [],
  bodiesCompared: null,
  checks,
})

test('turns a wrong price prediction into a warning, and drops checks that it left untested', () => {
  const served = { name: PREDICTED.served, passes: 4, fails: 0 }
  const refused = { name: PREDICTED.refused, passes: 0, fails: 1 }
  const smaller = { name: PREDICTED.smallerServed, passes: 0, fails: 0 }
  const { checks, violations } = observePredictions(oracleOf(ENDS, served, refused, smaller))
  expect(checks).toEqual([ENDS, served])
  expect(violations).toMatchObject([{ kind: 'other-price', count: 1 }])
})

test('keeps other checks unchanged', () => {
  const other = { name: 'chat: the answer has its usage', passes: 1, fails: 1 }
  const untested = { name: PREDICTED.refused, passes: 0, fails: 0 }
  const oracle = oracleOf(ENDS, other, untested)
  expect(observePredictions(oracle)).toEqual(oracle)
})
