import type { Operation } from '../../contract/facts.ts'
import type { Requirement } from './requirement.ts'

const OPERATIONS: readonly Operation[] = ['models', 'chat', 'images', 'transcriptions', 'speech']

/** One check for each operation, by the name of what is wrong with the key. */
function onEachOperation(name: string): readonly string[] {
  return OPERATIONS.map((operation) => `5/${name}-${operation}`)
}

/** Section 5: authentication. */
export const authenticationRequirements: readonly Requirement[] = [
  {
    id: '5/bearer',
    section: '5',
    level: 'stated',
    quote: 'Every request requires a bearer token: Authorization: Bearer <API_KEY>.',
    checks: [
      ...onEachOperation('empty-token'),
      ...onEachOperation('other-scheme'),
      ...onEachOperation('no-scheme'),
      ...onEachOperation('other-header'),
    ],
  },
  {
    id: '5/scheme-letter-case',
    section: '5',
    level: 'silent',
    quote: 'Every request requires a bearer token: Authorization: Bearer <API_KEY>.',
    checks: ['5/bearer-letter-case'],
  },
  {
    id: '5/prefix',
    section: '5',
    level: 'stated',
    quote: 'API keys start with the prefix sk-svc- followed by the key body.',
    checks: [...onEachOperation('no-prefix'), ...onEachOperation('prefix-in-capitals'), '5/key-prefix'],
  },
  {
    id: '5/console',
    section: '5',
    level: 'stated',
    quote: "Keys are created and managed in the service's console, which is outside this HTTP interface.",
    excluded: 'outside HTTP, as the sentence says',
  },
  {
    id: '5/valid-key',
    section: '5',
    level: 'stated',
    quote: 'A request must carry a valid key whose account has enough credits for the operation.',
    checks: onEachOperation('valid-key'),
  },
  {
    id: '5/models-credits',
    section: '5',
    level: 'silent',
    quote: 'A request must carry a valid key whose account has enough credits for the operation.',
    checks: ['5/models-without-credits'],
  },
  {
    id: '5/missing-or-invalid',
    section: '5',
    level: 'stated',
    quote: 'A missing or invalid key gives status 401.',
    checks: [
      ...onEachOperation('no-header'),
      ...onEachOperation('unknown-key'),
      ...onEachOperation('longer-key'),
      ...onEachOperation('shorter-key'),
      ...onEachOperation('other-letter-case'),
      '5/unknown-key-chat-stream',
      '5/no-header-chat-stream',
      '5/no-header-kept-connection',
    ],
  },
  {
    id: '5/challenge',
    section: '5',
    level: 'silent',
    quote: 'A missing or invalid key gives status 401.',
    checks: ['5/challenge-header'],
  },
  {
    id: '5/insufficient-credits',
    section: '5',
    level: 'stated',
    quote: 'Insufficient credits give status 402.',
    checks: [
      '5/no-credits-chat',
      '5/no-credits-images',
      '5/no-credits-transcriptions',
      '5/no-credits-speech',
      '5/no-credits-chat-stream',
      '5/no-credits-each-model',
    ],
  },
  {
    id: '5/concurrent-spending',
    section: '5',
    level: 'stated',
    quote: 'Insufficient credits give status 402.',
    checks: ['5/concurrent-spending'],
  },
]
