import { testGatewayMutants } from '../testing/test-gateway-mutants.ts'
import { TEXT_MUTANTS } from './text-mutants.ts'

testGatewayMutants(TEXT_MUTANTS)
