import { reject } from '../change/responses.ts'
import { all, to, withBody } from '../change/match.ts'
import { changePace } from '../change/pace.ts'
import type { Mutant } from '../mutant.ts'
import { brokenDown, observedStatus } from '../result-match.ts'

export const paceMutants: readonly Mutant[] = [
  {
    id: '4.2/held-back',
    breaks: 'a stream is gathered while the response is made, and sent at its end',
    kills: { '4.2/stream-progress': { code: 'stream-held-back' } },
    wire: changePace((maxTokens) => ({ delayMs: maxTokens > 128 ? 2600 : 1300 })),
  },
  {
    id: '4.2/in-bursts',
    breaks: 'a stream passes through a buffer, which is sent when it is full',
    kills: { '4.2/stream-progress': { code: 'stream-in-bursts', params: { bursts: 7 } } },
    wire: changePace(() => ({ pace: { frames: 20, everyMs: 600 } })),
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
