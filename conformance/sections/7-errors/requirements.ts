import type { RequirementRow } from '../../engine/requirement.ts'

const SHAPE = 'The shape of the error response body and any error code strings: not shown.'

export const errorRequirements = [
  // A valid request may exceed a limit or cause a server error, but even then its status must be in the table.
  { id: '7/statuses', level: 'stated', quote: 'Status codes:' },
  { id: '7/400', level: 'stated', quote: '| 400 | Bad Request | Invalid request parameters |' },
  {
    id: '7/401',
    level: 'stated',
    quote: '| 401 | Unauthorized | Missing or invalid API key |',
    excluded: 'the rule of 5.5 in other words, checked there for each operation: 5/missing-or-invalid',
  },
  {
    id: '7/402',
    level: 'stated',
    quote: '| 402 | Payment Required | Insufficient credits |',
    excluded: 'the rule of 5.5 in other words, checked there for each charged operation: 5/insufficient-credits',
  },
  { id: '7/404', level: 'stated', quote: '| 404 | Not Found | Invalid endpoint or model |' },
  { id: '7/429', level: 'stated', quote: '| 429 | Too Many Requests | Rate limit exceeded |' },
  // A 429 means that the caller has exceeded a limit. A key that sends few requests has not exceeded its limit, even if
  // another key sends a burst at the same time. An overload is not a limit of that key, because the table provides only
  // 500 for it.
  { id: '7/429-other-key', level: 'stated', quote: '| 429 | Too Many Requests | Rate limit exceeded |' },
  { id: '7/429-habits', level: 'convention', quote: '| 429 | Too Many Requests | Rate limit exceeded |' },
  { id: '7/500', level: 'stated', quote: '| 500 | Internal Server Error | Server-side issue |' },
  { id: '7/large-bodies', level: 'unspecified', quote: SHAPE },
  { id: '7/order', level: 'unspecified', quote: 'Status codes:' },
  { id: '7/error-shape', level: 'unspecified', quote: SHAPE },
  { id: '7/error-body', level: 'convention', quote: SHAPE },
] as const satisfies readonly RequirementRow[]
