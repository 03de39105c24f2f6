import { testGatewayMutants } from '../testing/test-gateway-mutants.ts'
import { FAILURE_MUTANTS } from './failure-mutants.ts'

testGatewayMutants(FAILURE_MUTANTS)
