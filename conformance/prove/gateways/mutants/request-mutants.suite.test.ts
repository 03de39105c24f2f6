import { testGatewayMutants } from '../testing/test-gateway-mutants.ts'
import { REQUEST_MUTANTS } from './request-mutants.ts'

testGatewayMutants(REQUEST_MUTANTS)
