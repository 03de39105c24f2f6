import { reject } from '../change/responses.ts'
import { all, asStream, to, withBody, withFields } from '../change/match.ts'
import type { Mutant } from '../mutant.ts'
import { brokenDown, observedStatus } from '../result-match.ts'

/** Matches the long streams of the check that requests a short and a long response to the same messages. */
const longStream = all(
  to('chat'),
  asStream,
  withFields(({ max_tokens }) => max_tokens === 256),
)

export const paceMutants: readonly Mutant[] = [
  {
    id: '4.2/held-back',
    breaks: 'a stream is gathered while the response is made, and sent at its end',
    kills: { '4.2/stream-progress': { code: 'stream-held-back' } },
    wire: { response: (response, request) => (longStream(request) ? { ...response, delayMs: 700 } : response) },
  },
  {
    id: '4.2/broken-by-leaving',
    breaks: 'after a client left a stream the next request is answered with 500',
    kills: { '7/breakdown-chat': brokenDown('chat', 500) },
    mayAffect: ['4.2/left-stream'],
    wire: reject(all(to('chat'), withBody(/Say hello to the next client/)), 500),
  },
  {
    id: '4.2/limited-by-leaving',
    breaks: 'nothing: what becomes of a client that left a stream is not specified',
    kills: { '4.2/left-stream': observedStatus(400) },
    wire: reject(all(to('chat'), withBody(/Say hello to the next client/)), 400),
  },
]
