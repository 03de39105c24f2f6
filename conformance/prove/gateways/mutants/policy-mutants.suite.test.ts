import { testGatewayMutants } from '../testing/test-gateway-mutants.ts'
import { POLICY_MUTANTS } from './policy-mutants.ts'

testGatewayMutants(POLICY_MUTANTS)
