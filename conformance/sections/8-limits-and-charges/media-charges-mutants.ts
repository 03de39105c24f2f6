import { EMBEDDED_EMULATOR } from '../../targets/embedded-emulator.ts'
import type { Operation } from '../../../contract/facts.ts'
import { matchOperation } from '../../mutation/change/match.ts'
import { createJsonResponse } from '../../mutation/change/responses.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import type { ProxyHooks } from '../../mutation/proxy-hooks.ts'
import { parseJson } from '../../http/decode-body.ts'
import { matchKey } from '../shared/mutants-emulator-keys.ts'
import { getMember } from '../shared/response-access.ts'
import { matchObserved } from '../../mutation/result-match.ts'

const DELAY_MS = 200
const CREDITS = 0.01

function chargeAgain(operation: Operation): ProxyHooks {
  const isCharged = matchOperation(operation)
  const isFunded = matchKey('funded')
  let credits = 0
  return {
    onResponse(response, request) {
      if (isCharged(request) && isFunded(request) && response.status === 200) {
        setTimeout(() => (credits += CREDITS), DELAY_MS)
      }
      if (request.target !== EMBEDDED_EMULATOR.declarations.balance?.path || !isFunded(request)) return response
      const balance = getMember(parseJson(response.body.toString('utf8')), 'credits')
      return createJsonResponse({ credits: Number(balance) - credits })
    },
  }
}

export const mediaChargeMutants: readonly Mutant[] = (['images', 'transcriptions', 'speech'] as const).map(
  (operation) => ({
    id: `8/charged-again-${operation}`,
    breaks: `nothing: the charge for a request of ${operation} is not specified`,
    kills: { [`8/${operation}-charge`]: matchObserved({ kind: 'charged-again' }) },
    hooks: chargeAgain(operation),
  }),
)
