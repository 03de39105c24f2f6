import { expect, test } from 'vitest'
import { estimateSlope, scoreRankCorrelation } from './rank-correlation.ts'

const pointsOf = (xs: readonly number[], ys: readonly number[]) => xs.map((x, index) => ({ x, y: ys[index] ?? 0 }))

test('scores values without ties as the published formula does', () => {
  // 10 points in order: S = 45, variance = 10·9·25/18 = 125, score = 44/√125.
  const inOrder = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  expect(scoreRankCorrelation(pointsOf(inOrder, inOrder))).toBeCloseTo(3.935, 3)
  // One exchanged pair: S = 43.
  expect(scoreRankCorrelation(pointsOf(inOrder, [2, 1, 3, 4, 5, 6, 7, 8, 9, 10]))).toBeCloseTo(42 / Math.sqrt(125), 6)
})

test('corrects the score for ties', () => {
  // Two groups of 4 and 5 equal values: S = 20, variance = (9·8·23 − 4·3·13 − 5·4·15)/18 = 200/3.
  const points = pointsOf([1, 1, 1, 1, 2, 2, 2, 2, 2], [11, 12, 13, 14, 15, 16, 17, 18, 19])
  expect(scoreRankCorrelation(points)).toBeCloseTo(19 / Math.sqrt(200 / 3), 6)
})

test('returns 0 for values that do not grow, and for equal values', () => {
  expect(scoreRankCorrelation(pointsOf([1, 2, 3, 4], [4, 3, 2, 1]))).toBe(0)
  expect(scoreRankCorrelation(pointsOf([1, 1, 1, 1], [1, 2, 3, 4]))).toBe(0)
  expect(scoreRankCorrelation([])).toBe(0)
})

test('estimates the slope despite one extreme value', () => {
  expect(estimateSlope(pointsOf([1, 2, 3, 4, 5], [10, 20, 900, 40, 50]))).toBe(10)
  expect(estimateSlope(pointsOf([1, 1], [1, 2]))).toBe(0)
})
