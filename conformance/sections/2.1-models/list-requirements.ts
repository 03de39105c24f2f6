import type { RequirementRow } from '../../engine/requirement.ts'

export const listRequirements = [
  {
    id: '4.1/endpoint',
    level: 'stated',
    quote: 'GET {base_url}/v1/models',
    excluded: 'used by each request of the section; 1/models-offered requires nothing else',
  },
  {
    id: '4.1/purpose',
    level: 'stated',
    quote: 'Purpose: list available models.',
    excluded: 'a heading; 1/models-offered and 2.1/all-listed check it',
  },
  {
    id: '4.1/no-parameters',
    level: 'stated',
    quote: 'Request: no body and no parameters.',
    excluded:
      'every request of the suite for the list of models has no body and no parameters; 1/models-offered fails if the target rejects this request',
  },
  { id: '4.1/unknown-query', level: 'unspecified', quote: 'Request: no body and no parameters.' },
  {
    id: '4.1/response',
    level: 'stated',
    quote: 'Response: an object with object = "list" and data, an array of model objects (2.1).',
  },
] as const satisfies readonly RequirementRow[]
