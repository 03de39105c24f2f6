import type { GatewayEnvironment, Middleware } from './gateway-message.ts'

/** A gateway with one fault, or with another lawful policy. */
interface GatewayChange {
  readonly id: `gateway/${string}`
  /** Describes the fault in a sentence, which starts with `nothing:` if the gateway only has another policy. */
  readonly breaks: string
  /** IDs of the checks that must detect the fault. A check of unspecified behaviour must observe another result. */
  readonly kills: readonly string[]
  /** IDs of other checks whose result may change, because the fault affects their requests. */
  readonly mayAffect?: readonly string[]
}

type CreateMiddleware = (environment: GatewayEnvironment) => Middleware

/** `createMiddleware` creates the state of one gateway. */
export type GatewayFault = GatewayChange &
  ({ readonly middleware: Middleware } | { readonly createMiddleware: CreateMiddleware })

export interface GatewayMutant extends GatewayChange {
  /** Option of `startGateway`. */
  readonly createMiddleware: CreateMiddleware
}

export function createMutant(fault: GatewayFault): GatewayMutant {
  return 'middleware' in fault ? { ...fault, createMiddleware: () => fault.middleware } : fault
}
