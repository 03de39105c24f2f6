import type { CheckEntry, ConformanceDocument, RunVerdict } from './conformance-document.ts'

/** The results of the suite for gateways in the form of a run, so that the same renderers show them. */
export interface GatewayRun extends ConformanceDocument {
  /** URL of the emulator to which the gateway forwards its requests. */
  readonly upstream: string
}

export const GATEWAY_SECTION = 'gateway'

export function isGatewayRun(document: ConformanceDocument): document is GatewayRun {
  return 'upstream' in document
}

/** Returns the results of the suite for gateways as a run. Returns undefined if the run did not test a gateway. */
export function getGatewayRun(document: ConformanceDocument): GatewayRun | undefined {
  const { gateway, budgets: _, ...common } = document
  if (gateway === undefined) return undefined
  const { differences: _differences, problem: _problem, obstacle: _obstacle, ...others } = document.target
  const target = hasSpecificationRun(document) ? others : document.target
  return { ...common, target, latency: [], ...gateway, selection: selectSelectors(document.selection, true) }
}

/** Lists the run of the specification, unless only checks of the gateway ran, and that of the gateway. */
export function listRuns(document: ConformanceDocument): ConformanceDocument[] {
  const { gateway: _, ...specification } = document
  const gateway = getGatewayRun(document)
  if (gateway === undefined) return [specification]
  const selection = selectSelectors(document.selection, false)
  return hasSpecificationRun(document) ? [{ ...specification, selection }, gateway] : [gateway]
}

function hasSpecificationRun({ gateway, requirements }: ConformanceDocument): boolean {
  return gateway === undefined || requirements.length > 0
}

/** Adds the requirements, checks and causes of the gateway to those of the specification. */
export function includeGateway(document: ConformanceDocument): ConformanceDocument {
  const { gateway } = document
  if (gateway === undefined) return document
  return {
    ...document,
    requirements: [...document.requirements, ...gateway.requirements],
    checks: [...document.checks, ...gateway.checks],
    causes: [...document.causes, ...gateway.causes],
    notPlanned: [...document.notPlanned, ...gateway.notPlanned],
  }
}

/** Verdicts of runs, the worst last. */
export const RUN_VERDICTS: readonly RunVerdict[] = ['conformant', 'incomplete', 'non-conformant', 'harness-error']

export function getWorstVerdict(document: ConformanceDocument): RunVerdict {
  const verdicts = listRuns(document).map(({ verdict }) => verdict)
  return RUN_VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? document.verdict
}

export function isGatewayCheck({ section }: CheckEntry): boolean {
  return section === GATEWAY_SECTION
}

/** Keeps the selectors of the gateway, or those of the specification. The selector of the whole gateway limits nothing. */
function selectSelectors(selection: ConformanceDocument['selection'], ofGateway: boolean): typeof selection {
  if (selection === null) return null
  const keep = (selectors: readonly string[]): string[] =>
    selectors.filter((one) => (ofGateway ? one.startsWith('gateway/') : !/^gateway(?:\/|$)/.test(one)))
  return { only: keep(selection.only), skip: keep(selection.skip) }
}
