import { expect, test } from 'vitest'
import { CHECKS } from '../../checks/all.ts'
import { DEFECTS } from './all.ts'

const CHECK_IDS = new Set(CHECKS.map(({ id }) => id))

test('every check has a defect that it is meant to catch', () => {
  const meant = new Set(DEFECTS.flatMap(({ kills }) => Object.keys(kills)))
  expect([...CHECK_IDS].filter((id) => !meant.has(id))).toEqual([])
})

test('defects name existing checks', () => {
  const named = DEFECTS.flatMap(({ kills, mayTouch = [] }) => [...Object.keys(kills), ...mayTouch])
  expect(named.filter((id) => !CHECK_IDS.has(id))).toEqual([])
})

test('each defect has an id of its own, and checks to catch it', () => {
  const ids = DEFECTS.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter((id) => !/^\d(\.\d)?\/[a-z0-9-]+$/.test(id))).toEqual([])
  expect(DEFECTS.filter(({ kills }) => Object.keys(kills).length === 0)).toEqual([])
})

test('what a check must say is more than that it turned', () => {
  const vague = DEFECTS.flatMap(({ id, kills }) =>
    Object.values(kills)
      .filter((saying) => saying.test('') || saying.test('answered 418') || saying.test('as the document says'))
      .map((saying) => `${id}: ${saying}`),
  )
  expect(vague).toEqual([])
})
