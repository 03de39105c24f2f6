import { LOAD_OPERATIONS, type LoadOperation } from '../../scenarios/lib/load-operation.ts'

/** Properties of a scenario that planning depends on. */
export interface ScenarioProperties {
  readonly about: string
  readonly operations: readonly LoadOperation[]
  /** Role of the key that authenticates its requests. */
  readonly key: 'funded' | 'limited' | 'small'
}

/** All scenarios by name. Each is a k6 script of that name in `scenarios/`. */
export const SCENARIOS: Readonly<Record<string, ScenarioProperties>> = {
  smoke: { about: 'every operation, a few times', operations: LOAD_OPERATIONS, key: 'funded' },
  chat: { about: 'chat without streaming', operations: ['chat'], key: 'funded' },
  'chat-stream': { about: 'chat, streamed: token timing', operations: ['chat-stream'], key: 'funded' },
  images: { about: 'images', operations: ['images'], key: 'funded' },
  transcriptions: { about: 'audio to text', operations: ['transcriptions'], key: 'funded' },
  speech: { about: 'text to audio', operations: ['speech'], key: 'funded' },
  mixed: { about: 'all of them, in proportion to their weights', operations: LOAD_OPERATIONS, key: 'funded' },
  'rate-limit': { about: 'a limited key: 429 where it is due, and nowhere else', operations: ['chat'], key: 'limited' },
  'credit-drain': {
    about: 'a small account: 402 at the request that it cannot pay',
    operations: ['chat'],
    key: 'small',
  },
  abort: { about: 'clients that abort their streams', operations: ['chat-stream'], key: 'funded' },
  soak: { about: 'a steady mix for hours', operations: LOAD_OPERATIONS, key: 'funded' },
}
