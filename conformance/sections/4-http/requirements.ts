import type { RequirementRow } from '../../engine/requirement.ts'

/** Section 4, introduction: rules for all operations. */
export const endpointRequirements = [
  {
    id: '4/authorization',
    level: 'stated',
    quote: 'Every request carries the Authorization header (section 5).',
    excluded: 'the rule of section 5, checked there for each operation: 5/bearer, 5/missing-or-invalid',
  },
  {
    id: '4/json-content-type',
    level: 'stated',
    quote: 'Requests with a JSON body use the header Content-Type: application/json.',
  },
  {
    id: '4/other-content-types',
    level: 'unspecified',
    quote: 'Requests with a JSON body use the header Content-Type: application/json.',
  },
  {
    id: '4/multipart',
    level: 'stated',
    quote: 'The transcription request is multipart form data.',
    excluded: 'repeated in section 4.4 and checked there: 4.4/form',
  },
  { id: '4/wrong-method', level: 'unspecified', quote: '| 404 | Not Found | Invalid endpoint or model |' },
  {
    id: '4/http',
    level: 'unspecified',
    quote: 'The service gives one HTTP interface to several language models from different providers.',
  },
  {
    id: '4/head-body',
    level: 'convention',
    quote: 'The service gives one HTTP interface to several language models from different providers.',
  },
  {
    id: '4/http-connection',
    level: 'unspecified',
    quote: 'The service gives one HTTP interface to several language models from different providers.',
  },
] as const satisfies readonly RequirementRow[]
