import { testGatewayMutants } from '../testing/test-gateway-mutants.ts'
import { USAGE_MUTANTS } from './usage-mutants.ts'

testGatewayMutants(USAGE_MUTANTS)
