import { expect, test } from 'vitest'
import { runGateway } from './run-gateway-mutant.ts'

test.each(['bytes', 'events'] as const)('no check fails or warns for a gateway of the style %s', async (style) => {
  const results = [...(await runGateway({ style })).values()]
  expect(results.length).toBeGreaterThan(0)
  expect(results.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'observed')).toEqual([])
})
