import type { LoadOperation } from '../../scenarios/lib/load-operation.ts'
import { LOAD_OPERATIONS } from '../../scenarios/lib/load-operation.ts'

/** What a scenario sends, as far as a forecast has to know. */
export interface ScenarioFacts {
  readonly about: string
  readonly operations: readonly LoadOperation[]
  /** Which key it sends with. */
  readonly key: 'funded' | 'limited' | 'small'
}

/** All scenarios by name: each is a script of that name in `scenarios/`. */
export const SCENARIOS: Readonly<Record<string, ScenarioFacts>> = {
  smoke: { about: 'every operation, a few times', operations: LOAD_OPERATIONS, key: 'funded' },
  chat: { about: 'chat, answered whole', operations: ['chat'], key: 'funded' },
  'chat-stream': { about: 'chat, streamed: token timing', operations: ['chat-stream'], key: 'funded' },
  images: { about: 'images', operations: ['images'], key: 'funded' },
  transcriptions: { about: 'audio to text', operations: ['transcriptions'], key: 'funded' },
  speech: { about: 'text to audio', operations: ['speech'], key: 'funded' },
  mixed: { about: 'all of them, by --weights', operations: LOAD_OPERATIONS, key: 'funded' },
  'rate-limit': { about: 'a limited key: 429 where it is due, and nowhere else', operations: ['chat'], key: 'limited' },
  'credit-drain': {
    about: 'a small account: 402 at the request that it cannot pay',
    operations: ['chat'],
    key: 'small',
  },
  abort: { about: 'clients that leave in the middle of a stream', operations: ['chat-stream'], key: 'funded' },
  soak: { about: 'a steady mix for hours', operations: LOAD_OPERATIONS, key: 'funded' },
}
