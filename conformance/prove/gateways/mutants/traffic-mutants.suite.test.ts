import { testGatewayMutants } from '../testing/test-gateway-mutants.ts'
import { TRAFFIC_MUTANTS } from './traffic-mutants.ts'

testGatewayMutants(TRAFFIC_MUTANTS)
