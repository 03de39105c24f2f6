import type { RequirementRow } from '../../engine/requirement.ts'

/** Requirements from the text before section 1. */
export const preambleRequirements = [
  {
    id: '0/one-document',
    level: 'stated',
    quote: 'One document covers everything.',
    excluded: 'about the specification, not about the service',
  },
  {
    id: '0/conventions',
    level: 'convention',
    quote: 'It follows the request and response conventions of a widely used chat-completion client SDK.',
    excluded: 'names no convention; the individual conventions are rows of sections 1, 2.3, 2.4, 4.2, 4.5 and 7',
  },
  {
    id: '0/base-url',
    level: 'stated',
    quote: '{base_url} is the service base address.',
    excluded: 'a definition: the tester gives the address in the options url or baseUrl',
  },
  {
    id: '0/timestamp',
    level: 'stated',
    quote: '<timestamp> is an integer Unix time in seconds.',
    excluded: 'a definition; 2.1/created, 2.3/created and 2.4/created test it',
  },
] as const satisfies readonly RequirementRow[]
