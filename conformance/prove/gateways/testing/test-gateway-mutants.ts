import { beforeAll, describe, expect, test } from 'vitest'
import type { GatewayMutant } from '../gateway-mutant.ts'
import { compareWithBaseline, type GatewayResults, runGateway } from '../run-gateway-mutant.ts'

/** Defines a test for each mutant: its checks detect it, and no other result changes. */
export function testGatewayMutants(mutants: readonly GatewayMutant[]): void {
  let baseline: GatewayResults
  beforeAll(async () => {
    baseline = await runGateway({})
  })

  describe.concurrent('the suite for gateways', () => {
    test.each(mutants)('detects $id, and changes no other result', async (mutant) => {
      const found = await runGateway({ createMiddleware: mutant.createMiddleware })
      expect(compareWithBaseline(mutant, found, baseline)).toEqual({ missed: [], alsoChanged: [] })
    })
  })
}
