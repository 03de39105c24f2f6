import { type Check, defineCheck, listPrerequisites } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import { isOutcome } from '../../findings/outcome.ts'
import { MAX_READS_PER_CHARGE, measureCharge, measureSecondCharge } from '../shared/balance.ts'
import { forOperations, sendPlainRequest } from '../shared/operation.ts'

/**
 * Checks of the charges for images and audio. Their responses report no tokens, so the specification determines no price.
 * A service may also charge in several steps.
 */
export const mediaChargeChecks: readonly Check[] = forOperations(
  {
    images: '8/images-charge',
    transcriptions: '8/transcriptions-charge',
    speech: '8/speech-charge',
  },
  (operation, id) =>
    defineCheck({
      id,
      requirement: '8/deduction',
      title: `the charge for a request of ${operation}`,
      operation,
      needs: listPrerequisites(operation),
      declaration: 'balance',
      cost: { requests: 1 + 2 * MAX_READS_PER_CHARGE },
      alone: true,
      async run(context) {
        const charged = await measureCharge(context, () => sendPlainRequest(context, operation))
        if (isOutcome(charged)) return charged
        const second = await measureSecondCharge(context, charged)
        if (typeof second !== 'number') return second
        const seen: ObservedFact =
          charged.units === 0 ? { kind: 'units-charged', units: 0 } : { kind: second > 0 ? 'charged-again' : 'charged' }
        return expect.observe(charged.response, { tried: `a request of ${operation}`, observe: () => seen })
      },
    }),
)
