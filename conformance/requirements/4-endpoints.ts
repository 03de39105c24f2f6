import type { Requirement } from './requirement.ts'

/** Section 4, before its operations: what holds for all of them. */
export const endpointRequirements = [
  {
    id: '4/authorization',
    section: '4',
    level: 'stated',
    quote: 'Every request carries the Authorization header (section 5).',
    excluded: 'the rule of section 5, checked there for each operation: 5/bearer, 5/missing-or-invalid',
  },
  {
    id: '4/json-content-type',
    section: '4',
    level: 'stated',
    quote: 'Requests with a JSON body use the header Content-Type: application/json.',
    checks: ['4/json-content-type-chat', '4/json-content-type-images', '4/json-content-type-speech'],
  },
  {
    id: '4/other-content-types',
    section: '4',
    level: 'silent',
    quote: 'Requests with a JSON body use the header Content-Type: application/json.',
    checks: [
      '4/content-type-missing',
      '4/content-type-other',
      '4/content-type-charset',
      '4/content-type-charset-images',
      '4/content-type-charset-speech',
    ],
  },
  {
    id: '4/multipart',
    section: '4',
    level: 'stated',
    quote: 'The transcription request is multipart form data.',
    excluded: 'said again in section 4.4 and checked there: 4.4/form',
  },
  {
    id: '4/wrong-method',
    section: '4',
    level: 'silent',
    quote: '| 404 | Not Found | Invalid endpoint or model |',
    checks: ['4/wrong-method-models', '4/wrong-method-chat'],
  },
  {
    id: '4/http',
    section: '4',
    level: 'silent',
    quote: 'The service gives one HTTP interface to several language models from different providers.',
    checks: ['4/head-models', '4/options-chat', '4/trailing-slash', '4/compression'],
  },
  {
    id: '4/http-connection',
    section: '4',
    level: 'silent',
    quote: 'The service gives one HTTP interface to several language models from different providers.',
    checks: ['4/kept-connection'],
  },
] as const satisfies readonly Requirement[]
