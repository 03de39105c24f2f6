import { type Check, type CheckContext, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'

// The specification does not name the parameter of a mode, so the owner must. The checks cannot see its effect.

function withMode({ shared, declared }: CheckContext, mode: string): Promise<Exchange> {
  return shared.chat({ [declared.qualityParameter ?? '']: mode })
}

export const qualityModeChecks: readonly Check[] = [
  ...[
    { id: '2.2/auto', requirement: '2.2/auto-allowed', mode: 'auto' },
    { id: '2.2/low', requirement: '2.2/low-allowed', mode: 'low' },
    { id: '2.2/high', requirement: '2.2/high-allowed', mode: 'high' },
    { id: '2.2/ultra', requirement: '2.2/ultra-allowed', mode: 'ultra' },
  ].map(({ id, requirement, mode }) =>
    defineCheck({
      id,
      requirement,
      title: `accepts the quality mode ${mode}`,
      operation: 'chat',
      declaration: 'qualityParameter',
      async run(context) {
        return expect.checkSuccess(await withMode(context, mode))
      },
    }),
  ),
  defineCheck({
    id: '2.2/other',
    requirement: '2.2/allowed-values',
    title: 'returns 400 for an unlisted quality mode',
    operation: 'chat',
    declaration: 'qualityParameter',
    cost: calculateMaxCost('chat', 2),
    async run(context) {
      const control = await withMode(context, 'low')
      const response = await withMode(context, 'touchstone')
      const difference = { parameter: context.declared.qualityParameter ?? '', value: 'touchstone' }
      return expect.checkErrorResponse(response, 400, { control, difference })
    },
  }),
]
