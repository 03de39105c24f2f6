import { isJsonObject } from '../common/json-object.ts'
import { createHash } from 'node:crypto'
import type { LoadDocument } from '../reports/load-document.ts'
import { type ExtensionResult, readExtensionResult } from '../scenarios/lib/extension-result.ts'
import { parseSettings } from '../scenarios/lib/parse-settings.ts'
import { buildDocument, describeSegment, describeSettings } from './build-document.ts'
import { countCredits } from './credits/count-credits.ts'
import { MergeError } from './check-segments.ts'
import type { DocumentContext } from './merge-load.ts'
import { buildMeasurements, type Measurements } from './metrics/measurements.ts'
import { type Budget, DEFAULT_BUDGET } from './verdict/budget.ts'
import { findIncompletePlan } from './verdict/plan-completeness.ts'
import { addRunChecks } from './verdict/run-checks.ts'
import { determineVerdict } from './verdict/verdict.ts'

/**
 * Verifies the digest at the end of a result file.
 * @throws MergeError if the file was damaged or has no digest
 */
export function verifyResultDigest(name: string, text: string): void {
  const [end = '', digest] = /,"sha256":"([\da-f]{64})"\}\s*$/.exec(text) ?? []
  const content = `${text.slice(0, -end.length)}}`
  if (createHash('sha256').update(content).digest('hex') === digest) return
  throw new MergeError(
    `${name} is damaged: its content differs from its digest. Copy the file again, or repeat the run.`,
  )
}

/** Returns whether a JSON value is the content of a result file, which a k6 script writes to `resultPath`. */
export function isResultFile(value: unknown): boolean {
  return isJsonObject(value) && 'run' in value && 'operations' in value && !('kind' in value)
}

/**
 * Builds the document of a run for which the user ran k6 directly, such as on another machine. The document has no
 * calibration, no cost estimate and no ledger data.
 * @param value content of a result file
 * @param budgets if empty, the default budget applies
 * @throws MergeError if the result cannot be read
 */
export function buildDocumentFromResult(
  value: unknown,
  budgets: readonly Budget[],
  { toolVersion, nameOption }: DocumentContext,
): LoadDocument {
  const { result, scenario, settings } = readResultFile(value)
  const measured = measure(result)
  const isSegment = result.segment.count > 1
  const measurements = isSegment ? measured : addRunChecks(measured, { scenario, isEmulator: false })
  const unsent = findIncompletePlan(result, scenario, settings)
  const evaluation = determineVerdict(measurements, budgets.length === 0 ? [DEFAULT_BUDGET] : budgets, {
    isEmulator: false,
    isInterrupted: false,
    gaps: unsent === undefined ? [] : [unsent],
  })
  return buildDocument(measurements, evaluation, {
    toolVersion,
    nameOption,
    target: { url: settings.target, embedded: false, isEmulator: false, keys: {}, models: settings.models },
    scenario,
    profile: 'by hand',
    arrivals: settings.arrivals,
    credits: countCredits(measurements, { estimate: null, balances: null }).credits,
    calibration: null,
    settings: describeSettings(settings),
    segment: isSegment ? describeSegment(result.segment, result) : undefined,
  })
}

function readResultFile(value: unknown) {
  try {
    const result = readExtensionResult(value)
    const { scenario = '', settings } = result.run ?? {}
    return { result, scenario, settings: parseSettings({ TOUCHSTONE_LOAD: JSON.stringify(settings) }) }
  } catch (error) {
    throw new MergeError(error instanceof Error ? error.message : String(error))
  }
}

function measure(result: ExtensionResult): Measurements {
  try {
    return buildMeasurements(result, () => null)
  } catch (error) {
    // The decoder of the histograms throws different errors for damaged data.
    throw new MergeError(`A result is damaged: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
