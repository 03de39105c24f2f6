import { beforeAll, describe, expect, test } from 'vitest'
import { createMutant, type GatewayFault } from '../gateway-mutant.ts'
import { compareWithBaseline, type GatewayResults, runGateway } from '../run-gateway-mutant.ts'

export function testGatewayMutants(faults: readonly GatewayFault[]): void {
  let baseline: GatewayResults
  beforeAll(async () => {
    baseline = await runGateway({})
  })

  describe.concurrent('the suite for gateways', () => {
    test.each(faults.map(createMutant))('detects $id, and changes no other result', async (mutant) => {
      const found = await runGateway({ createMiddleware: mutant.createMiddleware })
      expect(compareWithBaseline(mutant, found, baseline)).toEqual({ missed: [], alsoChanged: [] })
    })
  })
}
