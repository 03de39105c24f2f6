import { testGatewayMutants } from '../testing/test-gateway-mutants.ts'
import { ISOLATION_MUTANTS } from './isolation-mutants.ts'

testGatewayMutants(ISOLATION_MUTANTS)
