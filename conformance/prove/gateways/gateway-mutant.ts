import type { GatewayEnvironment, Middleware } from './gateway-message.ts'

/** A gateway with one fault, or with another lawful policy. */
export interface GatewayMutant {
  readonly id: `gateway/${string}`
  /** Describes the fault in a sentence, which starts with `nothing:` if the gateway only has another policy. */
  readonly breaks: string
  /**
   * IDs of the checks that must detect the fault. A check of unspecified behaviour must observe another result than
   * without the mutant.
   */
  readonly kills: readonly string[]
  /** IDs of other checks whose result may change, because the fault affects their requests. */
  readonly mayAffect?: readonly string[]
  /** Creates the state of one gateway. It is an option of `startGateway`. */
  readonly createMiddleware: (environment: GatewayEnvironment) => Middleware
}
