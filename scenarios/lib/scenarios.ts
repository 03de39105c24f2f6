import { TIMED_OPERATIONS, type TimedOperation } from '../../contract/facts.ts'
import { chooseOperation } from './choose-operation.ts'
import type { LoadSettings } from './load-settings.ts'

export interface ScenarioProperties {
  readonly about: string
  readonly operations: readonly TimedOperation[]
  /** How a scenario of several operations chooses the operation of a request. */
  readonly order?: 'in turn' | 'by weight'
  /** Role of the API key that the scenario's requests use. */
  readonly key: 'funded' | 'limited' | 'small'
  /** Whether no request depends on earlier ones, so that several runs can be compared. */
  readonly isRepeatable: boolean
}

const REPEATABLE = { key: 'funded', isRepeatable: true } as const

/** Properties of all scenarios, keyed by name. Each scenario is a k6 script of that name in `scenarios/`. */
export const SCENARIOS: Readonly<Record<string, ScenarioProperties>> = {
  smoke: { about: 'every operation, a few times', operations: TIMED_OPERATIONS, order: 'in turn', ...REPEATABLE },
  chat: { about: 'non-streaming chat', operations: ['chat'], ...REPEATABLE },
  'chat-stream': { about: 'streamed chat, with token timing', operations: ['chat-stream'], ...REPEATABLE },
  images: { about: 'images', operations: ['images'], ...REPEATABLE },
  transcriptions: { about: 'audio to text', operations: ['transcriptions'], ...REPEATABLE },
  speech: { about: 'text to audio', operations: ['speech'], ...REPEATABLE },
  mixed: {
    about: 'all operations, in proportion to their weights',
    operations: TIMED_OPERATIONS,
    order: 'by weight',
    ...REPEATABLE,
  },
  'rate-limit': {
    about: 'a rate-limited key: does the target return 429 exactly when requests exceed the limit?',
    operations: ['chat'],
    key: 'limited',
    isRepeatable: false,
  },
  'credit-drain': {
    about: 'a small account: does the target return 402 exactly when the credits run out?',
    operations: ['chat'],
    key: 'small',
    isRepeatable: false,
  },
  abort: {
    about: 'clients that abort their streams',
    operations: ['chat-stream'],
    key: 'funded',
    isRepeatable: false,
  },
  soak: {
    about: 'the requests of the scenario mixed, for an hour or longer',
    operations: TIMED_OPERATIONS,
    order: 'by weight',
    key: 'funded',
    isRepeatable: false,
  },
}

/** Returns the operation of a request of a scenario. It depends only on the settings and on the index of the request. */
export function getOperation(scenario: string, settings: Pick<LoadSettings, 'weights' | 'seed'>, index: number) {
  const { operations = [], order } = SCENARIOS[scenario] ?? {}
  if (order === 'by weight') return chooseOperation(settings, index)
  return operations[index % operations.length] ?? 'chat'
}
