import { expect, test } from 'vitest'
import { GATEWAY_CHECKS } from '../../sections/gateway/checks.ts'
import { GATEWAY_MUTANTS } from './gateway-mutants.ts'

const CHECKS = GATEWAY_CHECKS.map(({ id }) => id)

test('each check of a gateway has a mutant', () => {
  const killed = new Set(GATEWAY_MUTANTS.flatMap(({ kills }) => kills))
  expect([...killed].toSorted()).toEqual(CHECKS.toSorted())
})

test('each mutant has an ID of its own, and names existing checks', () => {
  const ids = GATEWAY_MUTANTS.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const named = GATEWAY_MUTANTS.flatMap(({ kills, mayAffect = [] }) => [...kills, ...mayAffect])
  expect(CHECKS).toEqual(expect.arrayContaining(named))
})

test('each mutant has a check that detects it, which is not also a check that it may affect', () => {
  const ambiguous = GATEWAY_MUTANTS.filter(
    ({ kills, mayAffect = [] }) => kills.length === 0 || mayAffect.some((check) => kills.includes(check)),
  )
  expect(ambiguous).toEqual([])
})
