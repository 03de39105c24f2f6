import { rejectRequests } from '../../mutation/change/responses.ts'
import { matchBody, matchFieldsOf, matchOperation } from '../../mutation/change/match.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchUnexpectedStatus } from '../../mutation/result-match.ts'

/** Mutants for checks that run only with declarations. `targets/embedded-emulator.ts` contains these declarations. */
export const declaredBehaviourMutants: readonly Mutant[] = [
  ...[
    { check: '2.2/auto', mode: 'auto' },
    { check: '2.2/low', mode: 'low' },
    { check: '2.2/high', mode: 'high' },
    { check: '2.2/ultra', mode: 'ultra' },
  ].map(({ check, mode }) => ({
    id: `${check}-refused`,
    breaks: `the quality mode ${mode} is rejected`,
    kills: { [check]: matchUnexpectedStatus(400) },
    hooks: rejectRequests(matchFieldsOf('chat', { quality: mode }), 400),
  })),
  {
    id: '2.2/other-taken',
    breaks: 'a quality mode that is not listed is accepted as auto',
    kills: { '2.2/other': matchUnexpectedStatus(200) },
    hooks: rewriteFields(matchFieldsOf('chat', { quality: 'touchstone' }), { quality: 'auto' }),
  },
  {
    id: '4.2/vision-refused',
    breaks: 'a message with an image is rejected, although the target declares that it accepts images',
    kills: { '4.2/vision': matchUnexpectedStatus(400) },
    hooks: rejectRequests(matchOperation('chat', matchBody(/"image_url"/)), 400),
  },
]
