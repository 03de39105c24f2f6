import { TIMED_OPERATIONS, type TimedOperation } from '../../contract/facts.ts'

export interface ScenarioProperties {
  readonly about: string
  readonly operations: readonly TimedOperation[]
  /** Role of the API key that the scenario's requests use. */
  readonly key: 'funded' | 'limited' | 'small'
}

/** Properties of all scenarios, keyed by name. Each scenario is a k6 script of that name in `scenarios/`. */
export const SCENARIOS: Readonly<Record<string, ScenarioProperties>> = {
  smoke: { about: 'every operation, a few times', operations: TIMED_OPERATIONS, key: 'funded' },
  chat: { about: 'non-streaming chat', operations: ['chat'], key: 'funded' },
  'chat-stream': { about: 'streamed chat, with token timing', operations: ['chat-stream'], key: 'funded' },
  images: { about: 'images', operations: ['images'], key: 'funded' },
  transcriptions: { about: 'audio to text', operations: ['transcriptions'], key: 'funded' },
  speech: { about: 'text to audio', operations: ['speech'], key: 'funded' },
  mixed: { about: 'all operations, in proportion to their weights', operations: TIMED_OPERATIONS, key: 'funded' },
  'rate-limit': {
    about: 'a rate-limited key: does the target return 429 exactly when requests exceed the limit?',
    operations: ['chat'],
    key: 'limited',
  },
  'credit-drain': {
    about: 'a small account: does the target return 402 exactly when the credits run out?',
    operations: ['chat'],
    key: 'small',
  },
  abort: { about: 'clients that abort their streams', operations: ['chat-stream'], key: 'funded' },
  soak: {
    about: 'the requests of the scenario mixed, for an hour or longer',
    operations: TIMED_OPERATIONS,
    key: 'funded',
  },
}

/** Scenarios in which no request depends on earlier ones, so that several runs can be compared. */
export const REPEATABLE_SCENARIOS: readonly string[] = [
  'smoke',
  'chat',
  'chat-stream',
  'images',
  'speech',
  'transcriptions',
  'mixed',
]
