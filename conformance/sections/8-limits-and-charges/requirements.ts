import { stated, unspecified } from '../../engine/requirement.ts'

const BOUNDS = 'Upper bounds of max_tokens, n, audio file size and message count: not shown.'

export const limitRequirements = [
  stated('8/max-tokens-default', 'Defaults: max_tokens is 256'),
  stated('8/temperature-default', 'temperature is 1.0 (range 0 to 2)'),
  stated('8/n-default', 'n is 1'),
  stated('8/voice-default', 'voice is "alloy"'),
  stated('8/stream-default', 'stream is false'),
  stated('8/pricing', 'Pricing is per token in credits, per the table in 2.1.'),
  stated(
    '8/sufficient-credits',
    'A request needs sufficient credits (5.4, 5.5).',
    'the rule of 5.4 and 5.5, checked there: 5/insufficient-credits',
  ),
  stated('8/rate-limit', 'Exceeding the rate limit gives 429.', 'the rule of section 7, checked there: 7/429'),
  unspecified('8/rate-limits-open', 'Rate limit thresholds and windows: not shown.'),
  unspecified('8/upper-bounds', BOUNDS),
  unspecified('8/large-requests', BOUNDS),
  unspecified(
    '8/deduction',
    'Whether prompt and completion tokens are priced the same, and how credits are deducted: not shown.',
  ),
]
