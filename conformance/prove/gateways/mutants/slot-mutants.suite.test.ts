import { testGatewayMutants } from '../testing/test-gateway-mutants.ts'
import { SLOT_MUTANTS } from './slot-mutants.ts'

testGatewayMutants(SLOT_MUTANTS)
