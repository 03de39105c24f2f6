import type { Operation } from '../../contract/facts.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { OptionNameFormatter, TableOptions } from '../options/table-options.ts'
import type { AcceptedChecks } from './known-failures.ts'
import type { LatencyBudget } from '../latency/budget.ts'
import type { Requirement } from './requirement.ts'
import type { Target } from '../targets/target.ts'
import type { AnyCheck } from './check.ts'
import type { UpstreamAddress } from '../upstream/upstream-control.ts'
import type { ExchangeObserver } from '../traffic/request-scope.ts'

export interface RunSettings
  extends
    AcceptedChecks,
    Required<Pick<TableOptions, 'only' | 'skip' | 'sdk' | 'agents' | 'timeoutMs' | 'concurrency' | 'failOnRepaired'>> {
  /** Formats the name of an option for texts of the document. */
  readonly nameOption: OptionNameFormatter
  readonly target: Target
  readonly maxRequests?: number | undefined
  /** The emulator that is the upstream of the gateway under test. Present only in the suite for gateways. */
  readonly upstream?: UpstreamAddress | undefined
  /** Spend limit in credits. The maximum costs of all requests together must not exceed it. */
  readonly maxCredits?: number | undefined
  /** Seed of the nonces. The same seed produces the same requests, byte for byte. */
  readonly nonceSeed: string
  readonly budgets: readonly LatencyBudget[]
  /** Number of latency samples for each operation with a budget. Default: the number that the budgets require. */
  readonly samples?: number | undefined
  readonly onExchange?: ExchangeObserver | undefined
}

export interface Suite {
  readonly requirements: readonly Requirement[]
  readonly checks: readonly AnyCheck[]
  /** Returns the ID of the check that reports why another check has this outcome, if there is one. */
  readonly findReportingCheck?: (
    outcome: Outcome,
    operation: Operation,
    outcomeOf: (id: string) => Outcome | undefined,
  ) => string | undefined
}
