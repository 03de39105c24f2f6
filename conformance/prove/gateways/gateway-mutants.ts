import { createMutant, type GatewayFault, type GatewayMutant } from './gateway-mutant.ts'
import { FAILURE_MUTANTS } from './mutants/failure-mutants.ts'
import { ISOLATION_MUTANTS } from './mutants/isolation-mutants.ts'
import { POLICY_MUTANTS } from './mutants/policy-mutants.ts'
import { REQUEST_MUTANTS } from './mutants/request-mutants.ts'
import { SLOT_MUTANTS } from './mutants/slot-mutants.ts'
import { TEXT_MUTANTS } from './mutants/text-mutants.ts'
import { TRAFFIC_MUTANTS } from './mutants/traffic-mutants.ts'
import { USAGE_MUTANTS } from './mutants/usage-mutants.ts'

export type { GatewayMutant } from './gateway-mutant.ts'

const FAULTS: readonly GatewayFault[] = [
  ...TEXT_MUTANTS,
  ...USAGE_MUTANTS,
  ...REQUEST_MUTANTS,
  ...FAILURE_MUTANTS,
  ...TRAFFIC_MUTANTS,
  ...ISOLATION_MUTANTS,
  ...SLOT_MUTANTS,
  ...POLICY_MUTANTS,
]

export const GATEWAY_MUTANTS: readonly GatewayMutant[] = FAULTS.map(createMutant)
