import type { RequirementRow } from '../../engine/requirement.ts'

export const authenticationRequirements: readonly RequirementRow[] = [
  { id: '5/bearer', level: 'stated', quote: 'Every request requires a bearer token: Authorization: Bearer <API_KEY>.' },
  {
    id: '5/scheme-letter-case',
    level: 'unspecified',
    quote: 'Every request requires a bearer token: Authorization: Bearer <API_KEY>.',
  },
  { id: '5/prefix', level: 'stated', quote: 'API keys start with the prefix sk-svc- followed by the key body.' },
  {
    id: '5/console',
    level: 'stated',
    quote: "Keys are created and managed in the service's console, which is outside this HTTP interface.",
    excluded: 'outside HTTP, as the sentence states',
  },
  {
    id: '5/valid-key',
    level: 'stated',
    quote: 'A request must carry a valid key whose account has enough credits for the operation.',
  },
  {
    id: '5/models-credits',
    level: 'unspecified',
    quote: 'A request must carry a valid key whose account has enough credits for the operation.',
  },
  { id: '5/missing-or-invalid', level: 'stated', quote: 'A missing or invalid key gives status 401.' },
  { id: '5/challenge', level: 'unspecified', quote: 'A missing or invalid key gives status 401.' },
  { id: '5/insufficient-credits', level: 'stated', quote: 'Insufficient credits give status 402.' },
  { id: '5/concurrent-spending', level: 'stated', quote: 'Insufficient credits give status 402.' },
]
