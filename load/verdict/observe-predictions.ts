import { PREDICTED } from '../../scenarios/lib/predict-drain.ts'
import type { Facts } from '../metrics/measurements.ts'

const PREDICTIONS: readonly string[] = Object.values(PREDICTED)

/**
 * Of a target that may price as it likes, a prediction that did not come true is told, and blamed on nobody; what could not be
 * put to the test after that is left out.
 */
export function observePredictions(oracle: Facts['oracle']): Facts['oracle'] {
  const wrong = oracle.checks.filter(({ name, fails }) => fails > 0 && PREDICTIONS.includes(name))
  if (wrong.length === 0) return oracle
  const isLeft = (name: string, made: number) =>
    !wrong.some((check) => check.name === name) && (made > 0 || !PREDICTIONS.includes(name))
  return {
    ...oracle,
    checks: oracle.checks.filter(({ name, passes, fails }) => isLeft(name, passes + fails)),
    violations: [
      ...oracle.violations,
      ...wrong.map(({ name, fails }) => ({
        kind: 'other-price',
        count: fails,
        example: `it was expected that ${name}; the document leaves open how credits are deducted (section 8)`,
      })),
    ],
  }
}
