import type { ConformanceDocument } from '../../../reports/conformance-document.ts'
import type { Suite } from '../../engine/settings.ts'
import type { ObservedValue } from '../../findings/observed-value.ts'
import type { CheckWithReason, TableOptions, TargetKeys } from '../../options/table-options.ts'
import { NO_KEY } from '../../requests/api-request.ts'
import { addGatewayResults, GATEWAY_SUITE, isGatewaySelector } from './gateway-suite.ts'

interface SplitOptions extends Pick<TableOptions, 'only' | 'skip'> {
  readonly knownFailures?: readonly CheckWithReason[]
  readonly acceptedNotTestable?: readonly CheckWithReason[]
  readonly policies?: Readonly<Record<string, ObservedValue>>
  readonly suite?: Suite
  readonly keys?: TargetKeys
}

interface Result {
  readonly document: ConformanceDocument
  readonly exitCode: 0 | 1 | 3 | 4
}

/**
 * Runs the suite, and then the suite for gateways. Each has a verdict of its own; the exit code is the worse one. Runs only
 * one of them if the selection contains no check of the other.
 * @param runSuite runs one suite
 */
export async function runWithUpstream<Options extends SplitOptions>(
  options: Options,
  upstream: string,
  runSuite: (options: Options) => Promise<Result>,
): Promise<Result> {
  const ofSpecification = { ...options, ...selectOptions(options, false), upstream: undefined }
  const ofGateway = {
    ...options,
    ...selectOptions(options, true),
    declares: options.policies ?? {},
    differences: {},
    sdk: false,
    agents: false,
    budgets: [],
    suite: GATEWAY_SUITE,
    // A gateway may need no key. If it does, it rejects the first requests.
    keys: { ...options.keys, funded: options.keys?.funded ?? NO_KEY },
  }
  const hasOnly = (options.only ?? []).length > 0
  const isSelected = ({ only }: { readonly only: readonly string[] }): boolean => !hasOnly || only.length > 0
  const first = isSelected(ofSpecification) ? await runSuite(ofSpecification) : undefined
  if (first !== undefined && !isSelected(ofGateway)) return first
  const second = await runSuite(ofGateway)
  const codes = [first?.exitCode ?? 0, second.exitCode]
  return {
    document: addGatewayResults(first?.document, second.document, upstream),
    exitCode: ([1, 4, 3] as const).find((code) => codes.includes(code)) ?? 0,
  }
}

/** Selects the checks and lists of a run that concern the gateway, or those that do not. */
function selectOptions(options: SplitOptions, isGateway: boolean) {
  const { only = [], skip = [], knownFailures = [], acceptedNotTestable = [] } = options
  const matches = (selector: string): boolean => isGatewaySelector(selector) === isGateway
  return {
    only: only.filter(matches),
    skip: skip.filter(matches),
    knownFailures: knownFailures.filter(({ id }) => matches(id)),
    acceptedNotTestable: acceptedNotTestable.filter(({ id }) => matches(id)),
  }
}
