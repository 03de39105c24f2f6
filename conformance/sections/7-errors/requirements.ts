import { convention, stated, unspecified } from '../../engine/requirement.ts'

const SHAPE = 'The shape of the error response body and any error code strings: not shown.'

export const errorRequirements = [
  // A valid request may exceed a limit or cause a server error, but even then its status must be in the table.
  stated('7/statuses', 'Status codes:'),
  stated('7/400', '| 400 | Bad Request | Invalid request parameters |'),
  stated(
    '7/401',
    '| 401 | Unauthorized | Missing or invalid API key |',
    'the rule of 5.5 in other words, checked there for each operation: 5/missing-or-invalid',
  ),
  stated(
    '7/402',
    '| 402 | Payment Required | Insufficient credits |',
    'the rule of 5.5 in other words, checked there for each charged operation: 5/insufficient-credits',
  ),
  stated('7/404', '| 404 | Not Found | Invalid endpoint or model |'),
  stated('7/429', '| 429 | Too Many Requests | Rate limit exceeded |'),
  // A 429 means that the caller has exceeded a limit. A key that sends few requests has not exceeded its limit, even if
  // another key sends a burst at the same time. An overload is not a limit of that key, because the table provides only
  // 500 for it.
  stated('7/429-other-key', '| 429 | Too Many Requests | Rate limit exceeded |'),
  convention('7/429-habits', '| 429 | Too Many Requests | Rate limit exceeded |'),
  stated('7/500', '| 500 | Internal Server Error | Server-side issue |'),
  unspecified('7/large-bodies', SHAPE),
  unspecified('7/order', 'Status codes:'),
  unspecified('7/error-shape', SHAPE),
  convention('7/error-body', SHAPE),
]
